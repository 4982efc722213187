/*
 * JSON5: strings, and keys without quotes.
 */
#include "base/json5_parts.h"

static bool is_high(int64_t unit) {
        return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low(int64_t unit) {
        return unit >= 0xdc00 && unit <= 0xdfff;
}

/* What follows \u: one UTF-16 unit. -1 with a message. */
static int64_t unit_read(struct reader *r, const char *from) {
        int64_t unit = reader_hex(r, 4);

        if (unit < 0)
                reader_fail(r, reader_pos(r, from), "\\u needs 4 hexadecimal digits");
        return unit;
}

/* What follows \u in a string: a character, possibly with the second half of its pair. */
static int64_t rune_read(struct reader *r, const char *from) {
        int64_t high = unit_read(r, from), low;

        if (!is_high(high) && !is_low(high))
                return high;
        if (is_high(high) && reader_starts(r, "\\u")) {
                const char *second = r->next;

                r->next += 2;
                low = unit_read(r, second);
                if (low < 0)
                        return -1;
                if (is_low(low))
                        return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        }
        return reader_fail(r, reader_pos(r, from), "\\u%04X is half of a surrogate pair", (unsigned)high);
}

/* A backslash in front of a line end: neither is part of the string. */
static bool line_join(struct reader *r) {
        return reader_take(r, "\r\n") || reader_take(r, "\r") || reader_take(r, "\n") || reader_take(r, "\u2028") ||
               reader_take(r, "\u2029");
}

static int escape_hex(struct json5 *j, const char *from, char **out) {
        struct reader *r = &j->r;
        int64_t rune;

        if (*r->next++ == 'u') {
                rune = rune_read(r, from);
                if (rune < 0)
                        return -1;
        } else {
                rune = reader_hex(r, 2);
                if (rune < 0)
                        return reader_fail(r, reader_pos(r, from), "\\x needs 2 hexadecimal digits");
        }
        *out = reader_put(*out, (uint32_t)rune);
        return 0;
}

static int escape_read(struct json5 *j, char **out) {
        /* JSON's first, then JSON5's; in JSON5 any other character stands for itself, too */
        static const char names[] = "\"\\/bfnrt'v", meanings[] = "\"\\/\b\f\n\r\t'\v";
        struct reader *r = &j->r;
        const char *from = r->next++;
        int c = reader_peek(r);
        const char *name = c > 0 ? strchr(names, c) : NULL;

        if (c == 'u' || (c == 'x' && !j->strict))
                return escape_hex(j, from, out);
        if (name && (!j->strict || name - names < 8)) {
                *(*out)++ = meanings[name - names];
                r->next++;
                return 0;
        }
        if (j->strict)
                return reader_fail(r, reader_pos(r, from), "unknown escape; a backslash is written \\\\");
        if (line_join(r))
                return 0;
        if (c == '0' && (reader_ahead(r, 1) < '0' || reader_ahead(r, 1) > '9')) {
                *(*out)++ = '\0';
                r->next++;
                return 0;
        }
        if (c >= '0' && c <= '9')
                return reader_fail(r, reader_pos(r, from), "an escape must not be a number (use \\x or \\u)");
        return 0; /* the character comes next, as itself */
}

static int char_read(struct json5 *j, char **out) {
        struct reader *r = &j->r;
        size_t len;
        uint32_t rune = reader_rune(r, &len);

        if (rune == '\n' || rune == '\r')
                return reader_expected(r, "the closing quote of the string");
        if (j->strict && rune < ' ')
                return reader_expected(r, "no control characters in a string");
        memcpy(*out, r->next, len);
        *out += len;
        r->next += len;
        return 0;
}

int json5_string(struct json5 *j, struct str *ret) {
        struct reader *r = &j->r;
        const struct tree_pos at = reader_pos(r, r->next);
        char *from = reader_slot(r, r->next), *out = from;
        const char quote = *r->next++;

        while (reader_peek(r) != quote) {
                if (r->next == r->end)
                        return reader_fail(r, at, "the string is never closed");
                if ((*r->next == '\\' ? escape_read(j, &out) : char_read(j, &out)) < 0)
                        return -1;
        }
        r->next++;
        *ret = reader_slot_end(from, out);
        return 0;
}

/* The character of a name at the cursor, written as itself or as \uXXXX. -1 with a message. */
static int64_t name_rune(struct reader *r) {
        const char *from = r->next;
        size_t len;
        uint32_t rune = reader_rune(r, &len);

        r->next += len;
        if (rune != '\\')
                return rune;
        if (!reader_take(r, "u"))
                return reader_fail(r, reader_pos(r, from), "a key without quotes has no escapes but \\u");
        return unit_read(r, from);
}

/* 1: one more character of a name; 0: there is none, the cursor stays. */
static int name_char(struct json5 *j, bool first, char **out) {
        struct reader *r = &j->r;
        const char *from = r->next;
        int64_t rune = r->next < r->end ? name_rune(r) : 0;

        if (rune < 0)
                return -1;
        if (first ? json5_is_letter((uint32_t)rune) : json5_is_name((uint32_t)rune)) {
                *out = reader_put(*out, (uint32_t)rune);
                return 1;
        }
        r->next = from;
        if (reader_peek(r) == '\\')
                return reader_fail(r, reader_pos(r, from), "U+%04X needs quotes in a key", (unsigned)rune);
        return 0;
}

int json5_name(struct json5 *j, struct str *ret) {
        char *from = reader_slot(&j->r, j->r.next), *out = from;
        int more = name_char(j, true, &out);

        if (!more)
                return reader_expected(&j->r, "a key (a name, or a quoted string)");
        while (more > 0)
                more = name_char(j, false, &out);
        if (more < 0)
                return -1;
        *ret = reader_slot_end(from, out);
        return 0;
}
