/*
 * printf: formats whose result depends on nothing but the arguments. Floating point, dates and what the locale decides are
 * left unknown.
 */
#include "bash/eval/interp.h"

struct conversion {
        bool minus, zero, plus, space, alternate;
        size_t width;
        size_t precision;
        bool has_precision;
        char kind;
};

struct format {
        struct walk *w;
        const struct simple *s;
        struct builder *out;
        size_t next; /* argument */
        bool used;   /* one in this round */
        bool stop;
};

/* ---- arguments ---- */

static bool next_argument(struct format *f, struct value *ret) {
        f->used = true;
        *ret = (struct value){ NULL };
        if (f->next >= f->s->argc)
                return false;
        *ret = field_value(&f->w->budget, &f->s->argv[f->next++]);
        return true;
}

/* 12 -3 0x1f 017 'c, as printf reads them; no argument is 0. */
static bool read_integer(struct str text, int64_t *ret) {
        bool negative = false;
        int base = 10;
        int64_t value = 0;

        *ret = 0;
        if (text.len == 0)
                return true;
        if (text.ptr[0] == '\'' || text.ptr[0] == '"') {
                *ret = text.len > 1 ? (unsigned char)text.ptr[1] : 0;
                return text.len <= 1 || *ret < 0x80;
        }
        if (text.ptr[0] == '-' || text.ptr[0] == '+') {
                negative = text.ptr[0] == '-';
                text = str_skip(text, 1);
        }
        if (text.len > 2 && text.ptr[0] == '0' && (text.ptr[1] == 'x' || text.ptr[1] == 'X')) {
                base = 16;
                text = str_skip(text, 2);
        } else if (text.len > 1 && text.ptr[0] == '0') {
                base = 8;
        }
        if (!text.len)
                return false;
        for (size_t i = 0; i < text.len; i++) {
                unsigned char c = ascii_lower((unsigned char)text.ptr[i]);
                int digit = is_ascii_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;

                if (digit >= base || __builtin_mul_overflow(value, base, &value) ||
                    __builtin_add_overflow(value, digit, &value))
                        return false;
        }
        *ret = negative ? -value : value;
        return true;
}

static bool integer_argument(struct format *f, int64_t *ret) {
        struct value value;
        struct str text;

        next_argument(f, &value);
        return value_known(value, &text) && read_integer(text, ret);
}

/* ---- printing ---- */

static void pad(struct format *f, char c, size_t count) {
        if (count > 4096)
                count = 4096;
        for (size_t i = 0; i < count; i++)
                builder_char(f->out, c, false);
}

static void print_padded(struct format *f, const struct conversion *c, struct str text) {
        size_t fill = c->width > text.len ? c->width - text.len : 0;

        if (!c->minus)
                pad(f, ' ', fill);
        builder_text(f->out, text, false);
        if (c->minus)
                pad(f, ' ', fill);
}

static void print_unknown(struct format *f, struct value why) {
        builder_value(f->out, why.pieces ? param_unknown(f->w, why) : value_unknown(&f->w->budget, UNKNOWN_OUTPUT, STR("")),
                      false);
}

static void print_string(struct format *f, const struct conversion *c) {
        struct value value;
        struct str text;

        next_argument(f, &value);
        if (!value_known(value, &text)) {
                if (c->width || c->has_precision)
                        print_unknown(f, value);
                else
                        builder_value(f->out, value, false);
                return;
        }
        if ((c->width || c->has_precision) && !str_is_ascii(text)) {
                builder_unknown(f->out, UNKNOWN_LOCALE, STR(""), false);
                return;
        }
        print_padded(f, c, c->has_precision ? str_take(text, c->precision) : text);
}

static void print_escaped(struct format *f, const struct conversion *c) {
        struct value value;
        struct str text;
        enum escape escape;

        next_argument(f, &value);
        if (!value_known(value, &text) || c->width || c->has_precision) {
                print_unknown(f, value);
                return;
        }
        escape = output_escapes(text, ESCAPE_PERCENT_B, f->out);
        f->stop |= escape == ESCAPE_STOP;
        if (escape == ESCAPE_UNKNOWN)
                builder_unknown(f->out, UNKNOWN_LOCALE, STR(""), false);
}

static void print_char(struct format *f, const struct conversion *c) {
        struct value value;
        struct str text;

        next_argument(f, &value);
        if (!value_known(value, &text) || !str_is_ascii(text))
                print_unknown(f, value);
        else if (text.len)
                print_padded(f, c, str_take(text, 1));
        else if (c->width)
                print_unknown(f, value);
        else
                builder_char(f->out, '\0', false);
}

/* %q: only what needs no quotes at all is sure to look the same in every version. */
static void print_quoted(struct format *f, const struct conversion *c) {
        struct value value;
        struct str text;

        next_argument(f, &value);
        if (!value_known(value, &text) || !text.len || c->width || c->has_precision) {
                print_unknown(f, value);
                return;
        }
        for (size_t i = 0; i < text.len; i++) {
                if (is_ascii_alnum((unsigned char)text.ptr[i]) || strchr("_-./:=@%+", text.ptr[i]))
                        continue;
                print_unknown(f, value);
                return;
        }
        builder_text(f->out, text, false);
}

static size_t write_digits(uint64_t value, unsigned base, bool upper, char *end) {
        const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
        char *p = end;

        while (value) {
                /* cppcheck-suppress zerodivcond; base is 8, 10 or 16 */
                *--p = digits[value % base];
                value /= base;
        }
        return (size_t)(end - p);
}

static void print_integer(struct format *f, const struct conversion *c) {
        bool is_signed = c->kind == 'd' || c->kind == 'i', upper = c->kind == 'X';
        unsigned base = c->kind == 'o' ? 8 : c->kind == 'x' || upper ? 16 : 10;
        char digits[24], prefix[3];
        size_t n, zeros, prefixed = 0, total;
        int64_t value;
        uint64_t magnitude;

        if (!integer_argument(f, &value)) {
                builder_unknown(f->out, UNKNOWN_ARITHMETIC, STR(""), false);
                return;
        }
        magnitude = is_signed && value < 0 ? -(uint64_t)value : (uint64_t)value;
        n = write_digits(magnitude, base, upper, digits + sizeof(digits));
        zeros = c->has_precision ? (c->precision > n ? c->precision - n : 0) : n == 0;
        if (is_signed && (value < 0 || c->plus || c->space))
                prefix[prefixed++] = value < 0 ? '-' : c->plus ? '+' : ' ';
        if (c->alternate && base == 8 && !zeros)
                zeros = 1;
        if (c->alternate && base == 16 && value) {
                prefix[prefixed++] = '0';
                prefix[prefixed++] = c->kind;
        }
        total = prefixed + zeros + n;
        if (c->zero && !c->minus && !c->has_precision && c->width > total) {
                zeros += c->width - total;
                total = c->width;
        }
        if (!c->minus && c->width > total)
                pad(f, ' ', c->width - total);
        for (size_t i = 0; i < prefixed; i++)
                builder_char(f->out, prefix[i], false);
        pad(f, '0', zeros);
        for (size_t i = 0; i < n; i++)
                builder_char(f->out, digits[sizeof(digits) - n + i], false);
        if (c->minus && c->width > total)
                pad(f, ' ', c->width - total);
}

/* ---- formats ---- */

/* A width or precision: digits or *. */
static bool read_size(struct format *f, struct str text, size_t *pos, size_t *ret, bool *minus) {
        int64_t value = 0;

        if (*pos < text.len && text.ptr[*pos] == '*') {
                ++*pos;
                if (!integer_argument(f, &value))
                        return false;
                *minus |= value < 0;
                value = value < 0 ? -value : value;
        } else {
                while (*pos < text.len && is_ascii_digit((unsigned char)text.ptr[*pos]) && value < 100000)
                        value = value * 10 + (text.ptr[(*pos)++] - '0');
        }
        *ret = (size_t)value;
        return value < 4096;
}

/* %[flags][width][.precision][length]kind; the position is behind the %. */
static bool read_conversion(struct format *f, struct str text, size_t *pos, struct conversion *c) {
        bool negative = false;

        *c = (struct conversion){ 0 };
        for (; *pos < text.len && text.ptr[*pos] && strchr("-0+ #'", text.ptr[*pos]); ++*pos) {
                c->minus |= text.ptr[*pos] == '-';
                c->zero |= text.ptr[*pos] == '0';
                c->plus |= text.ptr[*pos] == '+';
                c->space |= text.ptr[*pos] == ' ';
                c->alternate |= text.ptr[*pos] == '#';
                if (text.ptr[*pos] == '\'')
                        return false;
        }
        if (!read_size(f, text, pos, &c->width, &c->minus))
                return false;
        if (*pos < text.len && text.ptr[*pos] == '.') {
                ++*pos;
                if (!read_size(f, text, pos, &c->precision, &negative))
                        return false;
                c->has_precision = !negative;
        }
        while (*pos < text.len && text.ptr[*pos] && strchr("hlLjztq", text.ptr[*pos]) && text.ptr[*pos] != 'q')
                ++*pos;
        if (*pos >= text.len)
                return false;
        c->kind = text.ptr[(*pos)++];
        return true;
}

static bool print_conversion(struct format *f, const struct conversion *c) {
        switch (c->kind) {
        case 's':
                print_string(f, c);
                return true;
        case 'b':
                print_escaped(f, c);
                return true;
        case 'c':
                print_char(f, c);
                return true;
        case 'q':
                print_quoted(f, c);
                return true;
        case 'd':
        case 'i':
        case 'u':
        case 'o':
        case 'x':
        case 'X':
                print_integer(f, c);
                return true;
        }
        return false;
}

/* Once through the format. False when it holds something we do not follow. */
static bool print_round(struct format *f, struct str text) {
        struct conversion c;
        size_t pos = 0;

        while (pos < text.len && !f->stop && budget_spend(&f->w->budget, 1)) {
                size_t start = pos;

                while (pos < text.len && text.ptr[pos] != '%' && text.ptr[pos] != '\\')
                        pos++;
                builder_text(f->out, str_from(text.ptr + start, pos - start), false);
                if (pos >= text.len)
                        break;
                if (text.ptr[pos] == '\\') {
                        if (output_escape(text, &pos, ESCAPE_FORMAT, f->out) == ESCAPE_UNKNOWN)
                                return false;
                } else if (pos + 1 < text.len && text.ptr[pos + 1] == '%') {
                        builder_text(f->out, STR("%"), false);
                        pos += 2;
                } else {
                        pos++;
                        if (!read_conversion(f, text, &pos, &c) || !print_conversion(f, &c))
                                return false;
                }
        }
        return true;
}

void output_printf(struct walk *w, const struct simple *s, size_t format, struct builder *out) {
        struct format f = { .w = w, .s = s, .out = out, .next = format + 1 };
        struct str text;

        for (size_t i = format; i < s->argc; i++)
                if (s->argv[i].may_split && i != s->argc - 1) { /* which argument is which is not known */
                        builder_unknown(out, s->argv[i].because, STR(""), false);
                        return;
                }
        if (format < s->argc && !simple_word(s, format, &text)) {
                builder_value(out, param_unknown(w, s->argv[format].value), false);
                return;
        }
        if (format >= s->argc)
                return;
        do {
                f.used = false;
                if (!print_round(&f, text)) {
                        builder_unknown(out, UNKNOWN_OUTPUT, STR(""), false);
                        return;
                }
        } while (f.used && f.next < s->argc && !f.stop && walk_goes_on(w));
}
