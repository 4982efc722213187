/*
 * The messages of the readers.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/text_reader.h"

static int __attribute__((format(printf, 3, 0)))
fail_format(struct reader *r, struct tree_pos at, const char *format, va_list args) {
        if (r->error) {
                r->error->code = ERR_INVALID;
                r->error->at = at;
                vsnprintf(r->error->message, sizeof(r->error->message), format, args);
        }
        return -1;
}

int reader_fail(struct reader *r, struct tree_pos at, const char *format, ...) {
        va_list args;

        va_start(args, format);
        fail_format(r, at, format, args);
        va_end(args);
        return -1;
}

/* What is at the cursor. */
static void found_describe(const struct reader *r, char *text, size_t size) {
        size_t len;
        uint32_t rune;

        if (r->next == r->end) {
                snprintf(text, size, "the end of the file");
                return;
        }
        rune = reader_rune(r, &len);
        if (rune == '\n' || reader_starts(r, "\r\n"))
                snprintf(text, size, "the end of the line");
        else if (rune == '\t')
                snprintf(text, size, "a tab");
        else if (rune == '\'')
                snprintf(text, size, "\"'\"");
        else if (rune >= ' ' && rune < 0x7f)
                snprintf(text, size, "'%c'", (int)rune);
        else if (rune == 0xfeff)
                snprintf(text, size, "a byte order mark (U+FEFF)");
        else
                snprintf(text, size, "%s U+%04X", rune < ' ' || rune == 0x7f ? "control character" : "character", rune);
}

int reader_expected(struct reader *r, const char *format, ...) {
        struct tree_pos at = reader_pos(r, r->next);
        char expected[128], found[48];
        va_list args;

        va_start(args, format);
        vsnprintf(expected, sizeof(expected), format, args);
        va_end(args);
        found_describe(r, found, sizeof(found));
        return reader_fail(r, at, "expected %s, found %s", expected, found);
}

int reader_fail_memory(struct reader *r) {
        if (r->error) {
                *r->error = (struct tree_error){ .code = ERR_MEMORY, .at = reader_pos(r, r->next) };
                snprintf(r->error->message, sizeof(r->error->message), "out of memory");
        }
        return -1;
}

struct reader_quoted reader_quote(struct str key) {
        const size_t most = sizeof(((struct reader_quoted *)0)->text) - sizeof("\\u{10ffff}...\"");
        struct reader rest = { .next = key.ptr, .end = key.ptr + key.len };
        struct reader_quoted quoted = { "\"" };
        size_t used = 1, len;

        while (rest.next < rest.end && used < most) {
                uint32_t rune = reader_rune(&rest, &len);

                if (rune == '"' || rune == '\\')
                        quoted.text[used++] = '\\';
                if (rune < ' ' || rune > 0x7e)
                        used += (size_t)snprintf(quoted.text + used, sizeof(quoted.text) - used, "\\u{%x}", rune);
                else
                        quoted.text[used++] = (char)rune;
                rest.next += len;
        }
        snprintf(quoted.text + used, sizeof(quoted.text) - used, rest.next < rest.end ? "...\"" : "\"");
        return quoted;
}
