/*
 * ${x@Q} and the other transformations, and the ways in which bash quotes.
 */
#include "bash/eval/interp.h"

static struct value unknown_option(struct walk *w, struct str name) {
        return value_unknown(&w->budget, UNKNOWN_OPTION, name);
}

/* ---- quoting ---- */

static bool needs_ansi(struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
                        return true;
        return false;
}

static void ansi_byte(struct builder *b, unsigned char c) {
        static const char letters[] = "\a"
                                      "a"
                                      "\b"
                                      "b"
                                      "\t"
                                      "t"
                                      "\n"
                                      "n"
                                      "\v"
                                      "v"
                                      "\f"
                                      "f"
                                      "\r"
                                      "r"
                                      "\x1b"
                                      "E"
                                      "\\\\"
                                      "''";
        char octal[4] = { '\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)), (char)('0' + (c & 7)) };

        for (const char *l = letters; *l; l += 2) {
                if ((unsigned char)*l != c)
                        continue;
                builder_char(b, '\\', false);
                builder_char(b, l[1], false);
                return;
        }
        if (c >= 0x20 && c != 0x7f)
                builder_char(b, (char)c, false);
        for (int i = 0; i < 4 && (c < 0x20 || c == 0x7f); i++)
                builder_char(b, octal[i], false);
}

/* 'x' */
static struct value param_quote(struct walk *w, struct str text) {
        struct builder b = { .budget = &w->budget };
        bool ansi = needs_ansi(text);

        if (str_is(text, "'"))
                return value_text(&w->budget, STR("\\'"));
        builder_text(&b, ansi ? STR("$'") : STR("'"), false);
        for (size_t i = 0; ansi && i < text.len; i++)
                ansi_byte(&b, (unsigned char)text.ptr[i]);
        while (!ansi && text.len) {
                size_t n = str_find(text, '\'');

                builder_text(&b, str_take(text, n), false);
                if (n < text.len)
                        builder_text(&b, STR("'\\''"), false);
                text = str_skip(text, n + 1);
        }
        builder_text(&b, STR("'"), false);
        return builder_finish(&b, false);
}

/* "x" */
static struct value param_quote_double(struct walk *w, struct str text) {
        struct builder b = { .budget = &w->budget };

        if (needs_ansi(text))
                return param_quote(w, text);
        builder_text(&b, STR("\""), false);
        for (size_t i = 0; i < text.len; i++) {
                if (strchr("\"$`\\", text.ptr[i]))
                        builder_text(&b, STR("\\"), false);
                builder_text(&b, str_from(text.ptr + i, 1), false);
        }
        builder_text(&b, STR("\""), false);
        return builder_finish(&b, false);
}

/* ---- attributes ---- */

struct str attribute_letters(unsigned attributes, char *buffer) {
        static const struct {
                unsigned attribute;
                char letter;
        } letters[] = { { ATTR_ARRAY, 'a' },   { ATTR_ASSOC, 'A' },    { ATTR_INTEGER, 'i' },
                        { ATTR_NAMEREF, 'n' }, { ATTR_READONLY, 'r' }, { ATTR_EXPORT, 'x' },
                        { ATTR_CAPITAL, 'c' }, { ATTR_LOWER, 'l' },    { ATTR_UPPER, 'u' } };
        size_t n = 0;

        for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
                if (attributes & letters[i].attribute)
                        buffer[n++] = letters[i].letter;
        return str_from(buffer, n);
}

static struct value attributes_value(struct walk *w, unsigned attributes) {
        char buffer[16];
        struct str letters = attribute_letters(attributes, buffer);
        char *copy = budget_bytes(&w->budget, letters.len + 1);

        if (copy)
                memcpy(copy, buffer, letters.len);
        return value_text(&w->budget, str_from(copy, copy ? letters.len : 0));
}

/* declare -ax name= */
static void add_declaration(struct walk *w, struct builder *b, struct str name, unsigned attributes) {
        if (attributes) {
                builder_text(b, STR("declare -"), false);
                builder_value(b, attributes_value(w, attributes), false);
                builder_text(b, STR(" "), false);
        }
        builder_text(b, name, false);
        builder_text(b, STR("="), false);
}

/* ---- the transformations ---- */

static struct value letters(struct walk *w, char letter, struct str text) {
        char *copy = budget_bytes(&w->budget, text.len + 1);

        if (!copy)
                return (struct value){ NULL };
        if (text.len)
                memcpy(copy, text.ptr, text.len);
        for (size_t i = 0; i < (letter == 'u' && text.len ? 1 : text.len); i++)
                copy[i] = (char)(letter == 'L' ? ascii_lower((unsigned char)copy[i]) : ascii_upper((unsigned char)copy[i]));
        return value_text(&w->budget, str_from(copy, text.len));
}

/* As $'...' decodes; nothing follows a NUL. */
static struct value escapes(struct walk *w, struct str text) {
        struct builder b = { .budget = &w->budget };
        struct str decoded;
        struct value value;

        if (output_escapes(text, ESCAPE_ANSI, &b) == ESCAPE_UNKNOWN)
                return value_unknown(&w->budget, UNKNOWN_LOCALE, STR(""));
        value = builder_finish(&b, false);
        if (value_known(value, &decoded) && str_find(decoded, '\0') < decoded.len)
                return value_text(&w->budget, str_take(decoded, str_find(decoded, '\0')));
        return value;
}

/* A prompt is only known when nothing in it is special. */
static bool plain_prompt(struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if (strchr("\\$`!", text.ptr[i]))
                        return false;
        return true;
}

struct value param_transform(struct walk *w, char letter, struct value value, struct str name, unsigned attributes) {
        struct builder b = { .budget = &w->budget };
        struct str text;

        if (letter == 'a')
                return attributes_value(w, attributes);
        if (letter == 'A' && !str_is_name(name))
                return (struct value){ NULL };
        if (!value_known(value, &text))
                return param_unknown(w, value);
        if (!str_is_ascii(text))
                return value_unknown(&w->budget, UNKNOWN_LOCALE, name);
        switch (letter) {
        case 'U':
        case 'u':
        case 'L':
                return letters(w, letter, text);
        case 'Q':
        case 'K':
        case 'k':
                return param_quote(w, text);
        case 'E':
                return escapes(w, text);
        case 'P':
                return plain_prompt(text) ? value : value_unknown(&w->budget, UNKNOWN_SPECIAL, name);
        case 'A':
                add_declaration(w, &b, name, attributes);
                builder_value(&b, param_quote(w, text), false);
                return builder_finish(&b, false);
        }
        return unknown_option(w, name);
}

/* ${a[@]@A} and ${a[@]@K}: the whole array as one text; without the `declare -a`. */
struct value param_transform_list(struct walk *w, char letter, const struct item *items, size_t count, struct str name,
                                  bool assoc) {
        struct builder b = { .budget = &w->budget };
        struct str text;

        if (assoc) /* which keys bash quotes, and how, changed too often */
                return unknown_option(w, name);
        if (letter == 'A') {
                builder_text(&b, name, false);
                builder_text(&b, STR("=("), false);
        }
        for (size_t i = 0; i < count; i++) {
                if (!value_known(items[i].value, &text) || !str_is_ascii(text))
                        return param_unknown(w, items[i].value);
                if (i)
                        builder_text(&b, STR(" "), false);
                if (letter == 'A')
                        builder_text(&b, STR("["), false);
                builder_value(&b, value_number(&w->budget, items[i].index), false);
                builder_text(&b, letter == 'A' ? STR("]=") : STR(" "), false);
                builder_value(&b, param_quote_double(w, text), false);
        }
        if (letter == 'A')
                builder_text(&b, STR(")"), false);
        return builder_finish(&b, false);
}
