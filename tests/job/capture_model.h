/*
 * What a capture must show, said once more and slowly; and streams to try it with.
 */
#ifndef BAILEY_TESTS_CAPTURE_MODEL_H
#define BAILEY_TESTS_CAPTURE_MODEL_H

#include "tests/test.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"

struct expected {
        struct buf text;
        uint64_t elided;
        bool truncated, invalid;
};

static inline void expect_bytes(struct expected *e, struct str s) {
        for (size_t step; s.len > 0; s = str_skip(s, step ? step : 1)) {
                step = str_utf8(s);
                buf_append(&e->text, step ? str_take(s, step) : STR("\xef\xbf\xbd"));
                e->invalid |= step == 0;
        }
}

static inline bool is_continuation(char c) {
        return ((unsigned char)c & 0xc0) == 0x80;
}

static inline size_t expected_head(struct str s, size_t half) {
        size_t lead = half;

        for (size_t end = half; end > half - half / 4; end--)
                if (s.ptr[end - 1] == '\n')
                        return end;
        while (lead > half - 3 && is_continuation(s.ptr[lead - 1]))
                lead--;
        /* The character that begins before the cut goes on behind it. */
        if ((unsigned char)s.ptr[lead - 1] >= 0xc0) {
                unsigned char c = (unsigned char)s.ptr[lead - 1];
                size_t wanted = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
                return lead - 1 + wanted > half ? lead - 1 : half;
        }
        return half;
}

static inline size_t expected_tail(struct str s, size_t half) {
        size_t start = s.len - half, at = start;

        for (at = start; at <= start + half / 4; at++)
                if (s.ptr[at - 1] == '\n')
                        return at;
        for (at = start; at < start + 3 && is_continuation(s.ptr[at]); at++)
                ;
        return at;
}

static inline void expect(struct expected *e, struct str s, size_t limit) {
        size_t head, tail;

        *e = (struct expected){ .truncated = s.len > limit };
        buf_init(&e->text, SIZE_MAX);
        if (!e->truncated) {
                expect_bytes(e, s);
                return;
        }
        head = expected_head(s, limit / 2);
        tail = expected_tail(s, limit - limit / 2);
        e->elided = tail - head;
        expect_bytes(e, str_take(s, head));
        if (s.ptr[head - 1] != '\n')
                buf_char(&e->text, '\n');
        buf_format(&e->text, "... (output truncated, %" PRIu64 " bytes elided)\n", e->elided);
        expect_bytes(e, str_skip(s, tail));
}

/* ---- streams ---- */

static uint64_t seed = 88172645463325252;

static inline size_t any(size_t below) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        return seed % below;
}

static const struct str letters[] = {
        STR("a"),        STR("\n"),           STR("\0"),     STR("\xc3\xa9"),         STR("\xe2\x82\xac"),
        STR("\xff"),     STR("\xe2\x82"),     STR("\x80"),   STR("\xf0\x9f\x98\x80"), STR("word "),
        STR("\xed\xa0"), STR("\xf0\x9f\x98"), STR("\r\n\t"),
};

/* Each stream prefers a few letters, so that there are ones without newlines, without ASCII, all valid, ... */
static inline struct str make_stream(char *bytes, size_t len) {
        unsigned preferred = (unsigned)any(1U << (sizeof(letters) / sizeof(*letters))) | 1;
        size_t at = 0;

        while (at < len) {
                size_t i = any(sizeof(letters) / sizeof(*letters));
                struct str letter = letters[preferred & 1U << i || any(1000) == 0 ? i : 0];

                letter = str_take(letter, len - at);
                memcpy(bytes + at, letter.ptr, letter.len);
                at += letter.len;
        }
        return str_from(bytes, len);
}

#endif
