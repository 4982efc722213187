/*
 * Filters: what they print for an input that is all known. They are here because scripts that hide something are fond of them.
 */
#include "bash/eval/interp.h"

/* Room for a result of at most `size` bytes; past the limit of a value there is none. */
static char *room(struct walk *w, size_t size) {
        return size <= VALUE_MAX_BYTES ? budget_bytes(&w->budget, size + 1) : NULL;
}

static bool option_is(const struct simple *s, size_t i, const char *short_name, const char *long_name) {
        struct str word;

        return simple_word(s, i, &word) && (str_is(word, short_name) || str_is(word, long_name));
}

/* ---- base64 -d ---- */

static int base64_digit(unsigned char c) {
        if (c >= 'A' && c <= 'Z')
                return c - 'A';
        if (c >= 'a' && c <= 'z')
                return c - 'a' + 26;
        if (is_ascii_digit(c))
                return c - '0' + 52;
        return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool output_base64(struct walk *w, const struct simple *s, struct builder *out) {
        uint32_t bits = 0;
        unsigned count = 0;
        struct str input;
        size_t n = 0;
        char *text;

        if (s->argc != 2 || !(option_is(s, 1, "-d", "--decode") || option_is(s, 1, "-D", "-di")) || !output_input(w, &input) ||
            !(text = room(w, input.len)))
                return false;
        for (size_t i = 0; i < input.len; i++) {
                int digit = base64_digit((unsigned char)input.ptr[i]);

                if (input.ptr[i] == '\n')
                        continue;
                if (input.ptr[i] == '=')
                        break;
                if (digit < 0)
                        return false;
                bits = bits << 6 | (uint32_t)digit;
                if (++count % 4 == 0) {
                        text[n++] = (char)(bits >> 16);
                        text[n++] = (char)(bits >> 8);
                        text[n++] = (char)bits;
                }
        }
        if (count % 4 == 1)
                return false;
        if (count % 4 >= 2)
                text[n++] = (char)(bits >> (count % 4 == 2 ? 4 : 10));
        if (count % 4 == 3)
                text[n++] = (char)(bits >> 2);
        builder_text(out, str_from(text, n), false);
        return true;
}

/* ---- xxd -r -p ---- */

static int hex_digit(unsigned char c) {
        c = ascii_lower(c);
        return is_ascii_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool output_xxd(struct walk *w, const struct simple *s, struct builder *out) {
        bool reverse = false, plain = false;
        struct str input, word;
        size_t n = 0;
        int high = -1;
        char *text;

        for (size_t i = 1; i < s->argc; i++) {
                if (!simple_word(s, i, &word) || word.len < 2 || word.ptr[0] != '-')
                        return false;
                reverse |= str_is(word, "-r") || str_is(word, "-rp");
                plain |= str_is(word, "-p") || str_is(word, "-ps") || str_is(word, "-plain") || str_is(word, "-rp");
        }
        if (!reverse || !plain || !output_input(w, &input) || !(text = room(w, input.len)))
                return false;
        for (size_t i = 0; i < input.len; i++) {
                int digit = hex_digit((unsigned char)input.ptr[i]);

                if (input.ptr[i] == '\n' || input.ptr[i] == ' ')
                        continue;
                if (digit < 0)
                        return false;
                if (high >= 0)
                        text[n++] = (char)(high << 4 | digit);
                high = high < 0 ? digit : -1;
        }
        builder_text(out, str_from(text, n), false);
        return true;
}

/* ---- rev, tac ---- */

bool output_rev(struct walk *w, const struct simple *s, struct builder *out) {
        struct str input;
        char *text;

        if (s->argc != 1 || !output_input(w, &input) || !str_is_ascii(input) || !(text = room(w, input.len)))
                return false;
        for (size_t start = 0; start < input.len;) {
                size_t end = start + str_find(str_skip(input, start), '\n');

                for (size_t i = start; i < end; i++)
                        text[start + end - 1 - i] = input.ptr[i];
                if (end < input.len)
                        text[end] = '\n';
                start = end + 1;
        }
        builder_text(out, str_from(text, input.len), false);
        return true;
}

bool output_tac(struct walk *w, const struct simple *s, struct builder *out) {
        struct str input;

        if (s->argc != 1 || !output_input(w, &input) || !input.len || input.ptr[input.len - 1] != '\n')
                return false;
        while (input.len) {
                size_t start = input.len - 1;

                while (start && input.ptr[start - 1] != '\n')
                        start--;
                builder_text(out, str_skip(input, start), false);
                input = str_take(input, start);
        }
        return true;
}

/* ---- tr ---- */

struct tr_set {
        unsigned char bytes[512];
        size_t count;
};

static bool tr_add(struct tr_set *set, unsigned first, unsigned last) {
        if (last < first || set->count + (last - first) >= sizeof(set->bytes))
                return false;
        for (unsigned c = first; c <= last; c++)
                set->bytes[set->count++] = (unsigned char)c;
        return true;
}

static bool tr_class(struct tr_set *set, struct str name) {
        if (str_is(name, "lower"))
                return tr_add(set, 'a', 'z');
        if (str_is(name, "upper"))
                return tr_add(set, 'A', 'Z');
        if (str_is(name, "digit"))
                return tr_add(set, '0', '9');
        if (str_is(name, "alpha"))
                return tr_add(set, 'A', 'Z') && tr_add(set, 'a', 'z');
        if (str_is(name, "alnum"))
                return tr_add(set, '0', '9') && tr_add(set, 'A', 'Z') && tr_add(set, 'a', 'z');
        if (str_is(name, "space"))
                return tr_add(set, '\t', '\r') && tr_add(set, ' ', ' ');
        return str_is(name, "blank") && tr_add(set, '\t', '\t') && tr_add(set, ' ', ' ');
}

/* One byte, or \n, \055 and the like. */
static bool tr_byte(struct str text, size_t *pos, unsigned *ret) {
        static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
        const char *simple;

        if (text.ptr[*pos] != '\\' || *pos + 1 >= text.len) {
                *ret = (unsigned char)text.ptr[(*pos)++];
                return *ret < 0x80;
        }
        ++*pos;
        if (text.ptr[*pos] >= '0' && text.ptr[*pos] <= '7') {
                *ret = 0;
                for (int i = 0; i < 3 && *pos < text.len && text.ptr[*pos] >= '0' && text.ptr[*pos] <= '7'; i++)
                        *ret = *ret * 8 + (unsigned)(text.ptr[(*pos)++] - '0');
                return *ret < 0x80;
        }
        simple = text.ptr[*pos] ? strchr(from, text.ptr[*pos]) : NULL;
        *ret = simple ? (unsigned char)to[simple - from] : (unsigned char)text.ptr[*pos];
        ++*pos;
        return *ret < 0x80;
}

static bool tr_read(struct str text, struct tr_set *set) {
        unsigned first, last;

        set->count = 0;
        for (size_t pos = 0; pos < text.len;) {
                struct str rest = str_skip(text, pos);

                if (str_starts(rest, STR("[:"))) {
                        size_t end = str_find(rest, ']');

                        if (end < 4 || end == rest.len || !tr_class(set, str_from(rest.ptr + 2, end - 3)))
                                return false;
                        pos += end + 1;
                        continue;
                }
                if (str_starts(rest, STR("[=")) || (rest.ptr[0] == '[' && str_find(rest, '*') < rest.len))
                        return false; /* [=c=] and [c*n] */
                if (!tr_byte(text, &pos, &first))
                        return false;
                last = first;
                if (pos + 1 < text.len && text.ptr[pos] == '-') {
                        pos++;
                        if (!tr_byte(text, &pos, &last))
                                return false;
                }
                if (!tr_add(set, first, last))
                        return false;
        }
        return set->count > 0;
}

bool output_tr(struct walk *w, const struct simple *s, struct builder *out) {
        bool delete = option_is(s, 1, "-d", "--delete");
        struct tr_set from, to;
        struct str input, word;
        int map[256];
        size_t n = 0;
        char *text;

        if (s->argc != 3 || !simple_word(s, delete ? 2 : 1, &word) || (!delete &&word.len > 1 && word.ptr[0] == '-') ||
            !tr_read(word, &from) || !output_input(w, &input) || !(text = room(w, input.len)))
                return false;
        if (!delete &&(!simple_word(s, 2, &word) || !tr_read(word, &to)))
                return false;
        for (int i = 0; i < 256; i++)
                map[i] = i;
        for (size_t i = 0; i < from.count; i++)
                map[from.bytes[i]] = delete ? -1 : to.bytes[i < to.count ? i : to.count - 1];
        for (size_t i = 0; i < input.len; i++)
                if (map[(unsigned char)input.ptr[i]] >= 0)
                        text[n++] = (char)map[(unsigned char)input.ptr[i]];
        builder_text(out, str_from(text, n), false);
        return true;
}

/* ---- cut, head, tail ---- */

static bool read_count(struct str text, size_t *ret) {
        *ret = 0;
        for (size_t i = 0; i < text.len; i++) {
                if (!is_ascii_digit((unsigned char)text.ptr[i]) || *ret > 100000)
                        return false;
                *ret = *ret * 10 + (size_t)(text.ptr[i] - '0');
        }
        return text.len > 0;
}

/* N, N-, -M, N-M */
static bool read_span(struct str text, size_t *first, size_t *last) {
        size_t dash = str_find(text, '-');
        struct str right = str_skip(text, dash + 1);

        *first = 1;
        *last = SIZE_MAX;
        if (dash > 0 && !read_count(str_take(text, dash), first))
                return false;
        if (dash == text.len)
                *last = *first;
        else if (right.len && !read_count(right, last))
                return false;
        return *first > 0 && *first <= *last && text.len > 0;
}

static void cut_line(struct str line, bool fields, char delimiter, size_t first, size_t last, struct builder *out) {
        size_t number = 1;

        if (!fields) {
                builder_text(out, str_skip(str_take(line, last), first - 1), false);
                return;
        }
        if (str_find(line, delimiter) == line.len) { /* lines without a delimiter are printed whole */
                builder_text(out, line, false);
                return;
        }
        for (bool printed = false;; number++) {
                size_t n = str_find(line, delimiter);

                if (number >= first && number <= last) {
                        if (printed)
                                builder_char(out, delimiter, false);
                        builder_text(out, str_take(line, n), false);
                        printed = true;
                }
                if (n == line.len)
                        return;
                line = str_skip(line, n + 1);
        }
}

/* cut -c SPAN, cut -d X -f SPAN, in any spelling. */
bool output_cut(struct walk *w, const struct simple *s, struct builder *out) {
        size_t first = 0, last = 0;
        char delimiter = '\t';
        bool fields = false, chosen = false;
        struct str input, word, value;

        for (size_t i = 1; i < s->argc; i++) {
                if (!simple_word(s, i, &word) || word.len < 2 || word.ptr[0] != '-' || !strchr("cbfd", word.ptr[1]))
                        return false;
                value = str_skip(word, 2);
                if (!value.len && !simple_word(s, ++i, &value))
                        return false;
                if (word.ptr[1] == 'd') {
                        if (value.len != 1)
                                return false;
                        delimiter = value.ptr[0];
                        continue;
                }
                fields = word.ptr[1] == 'f';
                chosen = true;
                if (!read_span(value, &first, &last))
                        return false;
        }
        if (!chosen || !output_input(w, &input) || !str_is_ascii(input))
                return false;
        while (input.len && budget_spend(&w->budget, 1)) {
                size_t n = str_find(input, '\n');

                cut_line(str_take(input, n), fields, delimiter, first, last, out);
                builder_text(out, STR("\n"), false);
                input = str_skip(input, n + 1);
        }
        return true;
}

/* -n N, -nN, -N, -c N, -cN; ten lines without. */
static bool count_option(const struct simple *s, bool *bytes, size_t *count) {
        struct str word;

        *bytes = false;
        *count = 10;
        if (s->argc == 1)
                return true;
        if (!simple_word(s, 1, &word) || word.len < 2 || word.ptr[0] != '-' || s->argc > 3)
                return false;
        if (is_ascii_digit((unsigned char)word.ptr[1]))
                return s->argc == 2 && read_count(str_skip(word, 1), count);
        if (word.ptr[1] != 'n' && word.ptr[1] != 'c')
                return false;
        *bytes = word.ptr[1] == 'c';
        if (word.len > 2)
                return s->argc == 2 && read_count(str_skip(word, 2), count);
        return simple_word(s, 2, &word) && read_count(word, count);
}

bool output_head(struct walk *w, const struct simple *s, struct builder *out) {
        struct str input;
        size_t count, end = 0;
        bool bytes;

        if (!count_option(s, &bytes, &count) || !output_input(w, &input))
                return false;
        if (bytes)
                end = count;
        for (size_t i = 0; !bytes && i < count && end < input.len; i++)
                end += str_find(str_skip(input, end), '\n') + 1;
        builder_text(out, str_take(input, end), false);
        return true;
}

bool output_tail(struct walk *w, const struct simple *s, struct builder *out) {
        struct str input;
        size_t count, start;
        bool bytes;

        if (!count_option(s, &bytes, &count) || !output_input(w, &input))
                return false;
        start = input.len;
        if (bytes)
                start = count < start ? start - count : 0;
        for (size_t lines = 0; !bytes && start; start--) {
                lines += input.ptr[start - 1] == '\n' && start != input.len;
                if (lines == count)
                        break;
        }
        builder_text(out, str_skip(input, count ? start : input.len), false);
        return true;
}
