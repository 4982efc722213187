/*
 * Redaction, said once more and slowly: every place, every secret; then what overlaps becomes one. For suites and fuzz targets.
 */
#ifndef BAILEY_TESTS_REDACT_NAIVE_H
#define BAILEY_TESTS_REDACT_NAIVE_H

#include "base/buf.h"
#include "run/redact.h"

/* The longest secret at the beginning of a text, the first of equals; NULL: none. */
static inline const struct redact_secret *naive_at(const struct redact_secret *secrets, size_t count, struct str text) {
        const struct redact_secret *best = NULL;

        for (size_t i = 0; i < count; i++)
                if (secrets[i].value.len && str_starts(text, secrets[i].value) &&
                    (!best || secrets[i].value.len > best->value.len))
                        best = &secrets[i];
        return best;
}

static inline uint64_t naive_redact(const struct redact_secret *secrets, size_t count, struct str text, struct buf *ret) {
        uint64_t redactions = 0;
        size_t at = 0, end;

        while (at < text.len) {
                const struct redact_secret *longest = naive_at(secrets, count, str_skip(text, at)), *other;

                if (!longest) {
                        buf_char(ret, text.ptr[at++]);
                        continue;
                }
                end = at + longest->value.len;
                for (at++; at < end; at++) {
                        other = naive_at(secrets, count, str_skip(text, at));
                        if (other && other->value.len > longest->value.len)
                                longest = other;
                        if (other && at + other->value.len > end)
                                end = at + other->value.len;
                }
                buf_append(ret, STR("[redacted "));
                buf_append(ret, longest->name);
                buf_append(ret, STR("]"));
                redactions++;
        }
        return redactions;
}

#endif
