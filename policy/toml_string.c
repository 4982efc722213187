/*
 * TOML: the four kinds of strings.
 */
#include "policy/toml_parts.h"

/* A string being read: where its meaning goes, and what ends it. */
struct string {
        char *out;
        char quote;
        bool lines; /* may have several */
};

static int escape_hex(struct reader *r, struct string *s, unsigned count) {
        struct tree_pos at = reader_pos(r, r->next - 2);
        int64_t rune = reader_hex(r, count);

        if (rune < 0)
                return reader_fail(r, at, "\\%c needs %u hexadecimal digits", count == 4 ? 'u' : 'U', count);
        if (rune > 0x10ffff || (rune >= 0xd800 && rune <= 0xdfff))
                return reader_fail(r, at, "U+%04llX is not a character", (unsigned long long)rune);
        s->out = reader_put(s->out, (uint32_t)rune);
        return 0;
}

/* A backslash at the end of a line: joins it with the next that is not blank. False: it is not at the end of a line. */
static bool line_join(struct reader *r) {
        toml_blanks(r);
        if (!toml_newline(r))
                return false;
        do
                toml_blanks(r);
        while (toml_newline(r));
        return true;
}

static int escape_read(struct reader *r, struct string *s) {
        static const char names[] = "btnfr\"\\", meanings[] = "\b\t\n\f\r\"\\";
        const char *from = r->next++;
        int c = reader_peek(r);
        const char *name = c > 0 ? strchr(names, c) : NULL;

        if (name) {
                *s->out++ = meanings[name - names];
                r->next++;
                return 0;
        }
        if (reader_take(r, "u"))
                return escape_hex(r, s, 4);
        if (reader_take(r, "U"))
                return escape_hex(r, s, 8);
        if (s->lines && line_join(r))
                return 0;
        return reader_fail(r, reader_pos(r, from),
                           "unknown escape; a backslash is written \\\\, or the string in single quotes");
}

/* One character or escape. A line end of any kind means LF. */
static int char_read(struct reader *r, struct string *s) {
        unsigned char c = (unsigned char)*r->next;

        if (c == '\\' && s->quote == '"')
                return escape_read(r, s);
        if (s->lines && toml_newline(r)) {
                *s->out++ = '\n';
                return 0;
        }
        if (c == '\n' || reader_starts(r, "\r\n"))
                return reader_expected(r, "%c to close the string", s->quote);
        if ((c < ' ' && c != '\t') || c == 0x7f)
                return reader_expected(r, "no control characters in a string");
        *s->out++ = *r->next++;
        return 0;
}

/* Three quotes end the string; up to two more of them, in front, belong to it. */
static void quotes_keep(struct reader *r, struct string *s) {
        for (int i = 0; i < 2 && reader_peek(r) == s->quote; i++, r->next++)
                *s->out++ = s->quote;
}

int toml_string(struct reader *r, bool key, struct str *ret) {
        const struct tree_pos at = reader_pos(r, r->next);
        struct string s = { .out = reader_slot(r, r->next), .quote = *r->next };
        const char closing[] = { s.quote, s.quote, s.quote, '\0' };
        char *from = s.out;

        s.lines = !key && reader_starts(r, closing);
        r->next += s.lines ? 3 : 1;
        if (s.lines)
                toml_newline(r);
        while (!reader_take(r, s.lines ? closing : closing + 2)) {
                if (r->next == r->end)
                        return reader_fail(r, at, "the string is never closed");
                if (char_read(r, &s) < 0)
                        return -1;
        }
        if (s.lines)
                quotes_keep(r, &s);
        *ret = reader_slot_end(from, s.out);
        return 0;
}
