/*
 * TOML: values.
 */
#include "policy/toml_parts.h"

#include <math.h>

/* Inside of an array: blanks, line ends and comments, any number of them. */
static int array_space(struct reader *r) {
        do {
                toml_blanks(r);
                if (toml_comment(r) < 0)
                        return -1;
        } while (toml_newline(r));
        return 0;
}

static int array_read(struct toml *t, struct tree_node *array) {
        struct reader *r = &t->r;
        static const struct reader_key none;

        r->next++;
        array->mark = TOML_FROZEN;
        if (array_space(r) < 0)
                return -1;
        while (!reader_take(r, "]")) {
                if (array->count && !reader_take(r, ","))
                        return reader_expected(r, "',' or ']' in the array of line %u", array->at.line);
                if (array_space(r) < 0)
                        return -1;
                if (array->count && reader_take(r, "]"))
                        return 0;
                if (toml_value(t, array, &none) < 0 || array_space(r) < 0)
                        return -1;
        }
        return 0;
}

static int inline_table_read(struct toml *t, struct tree_node *table) {
        struct reader *r = &t->r;

        r->next++;
        table->mark = TOML_FROZEN;
        toml_blanks(r);
        while (!reader_take(r, "}")) {
                if (table->count && !reader_take(r, ","))
                        return reader_expected(r, "',' or '}' in the inline table of line %u", table->at.line);
                if (toml_pair(t, table) < 0)
                        return -1;
                toml_blanks(r);
        }
        return 0;
}

static bool is_digit_of(int c, unsigned base) {
        int value = hex_value(c);

        return value >= 0 && (unsigned)value < base;
}

/* Digits, with single underscores between them. */
static int digits_read(struct reader *r, unsigned base, struct str *ret) {
        static const char *const names[] = {
                [2] = "a binary digit", [8] = "an octal digit", [10] = "a digit", [16] = "a hexadecimal digit"
        };
        const char *from = r->next;

        do {
                if (!is_digit_of(reader_peek(r), base))
                        return reader_expected(r, "%s", names[base]);
                while (is_digit_of(reader_peek(r), base))
                        r->next++;
        } while (reader_take(r, "_"));
        *ret = str_from(from, (size_t)(r->next - from));
        return 0;
}

static int integer_set(struct reader *r, struct tree_node *node, struct str digits, unsigned base, bool negative) {
        node->kind = TREE_INTEGER;
        if (integer_parse(digits, base, negative, &node->integer) < 0)
                return reader_fail(r, node->at, "the integer does not fit into 64 bits");
        return 0;
}

/* The fraction and the exponent, where they follow. */
static int float_rest(struct reader *r, bool *ret_float) {
        struct str digits = { 0 };

        if (reader_take(r, ".")) {
                *ret_float = true;
                if (digits_read(r, 10, &digits) < 0)
                        return -1;
        }
        if (reader_take(r, "e") || reader_take(r, "E")) {
                *ret_float = true;
                if (!reader_take(r, "+"))
                        reader_take(r, "-");
                if (digits_read(r, 10, &digits) < 0)
                        return -1;
        }
        return 0;
}

static int decimal_read(struct reader *r, struct tree_node *node) {
        const char *from = r->next;
        bool negative = reader_take(r, "-"), is_float = false;
        struct str digits = { 0 };

        if (!negative)
                reader_take(r, "+");
        if (digits_read(r, 10, &digits) < 0)
                return -1;
        if (digits.len > 1 && digits.ptr[0] == '0')
                return reader_fail(r, node->at, "a number must not start with 0 (octal is written 0o17)");
        if (float_rest(r, &is_float) < 0)
                return -1;
        if (!is_float)
                return integer_set(r, node, digits, 10, negative);
        node->kind = TREE_FLOAT;
        return reader_double(r, str_from(from, (size_t)(r->next - from)), &node->real);
}

static int number_read(struct reader *r, struct tree_node *node) {
        static const struct {
                const char *word;
                double value;
        } words[] = {
                { "inf", INFINITY }, { "+inf", INFINITY }, { "-inf", -INFINITY },
                { "nan", NAN },      { "+nan", NAN },      { "-nan", NAN },
        };
        static const struct {
                const char *prefix;
                unsigned base;
        } bases[] = { { "0x", 16 }, { "0o", 8 }, { "0b", 2 } };
        struct str digits = { 0 };

        for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
                if (reader_take(r, words[i].word)) {
                        node->kind = TREE_FLOAT;
                        node->real = words[i].value;
                        return 0;
                }
        for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++)
                if (reader_take(r, bases[i].prefix))
                        return digits_read(r, bases[i].base, &digits) < 0 ? -1
                                                                          : integer_set(r, node, digits, bases[i].base, false);
        return decimal_read(r, node);
}

static int scalar_read(struct reader *r, struct tree_node *node) {
        int c = reader_peek(r), date;

        if (reader_take(r, "true") || reader_take(r, "false")) {
                node->kind = TREE_BOOLEAN;
                node->boolean = c == 't';
                return 0;
        }
        date = toml_date(r, node);
        if (date)
                return date < 0 ? -1 : 0;
        if (c == '+' || c == '-' || (c >= '0' && c <= '9') || reader_starts(r, "inf") || reader_starts(r, "nan"))
                return number_read(r, node);
        return reader_expected(r, "a value (a string needs quotes)");
}

static int value_read(struct toml *t, struct tree_node *node) {
        switch (reader_peek(&t->r)) {
        case '"':
        case '\'':
                node->kind = TREE_STRING;
                return toml_string(&t->r, false, &node->text);
        case '[':
                return reader_open(&t->r, node, TREE_ARRAY) < 0 ? -1 : array_read(t, node);
        case '{':
                return reader_open(&t->r, node, TREE_TABLE) < 0 ? -1 : inline_table_read(t, node);
        default:
                return scalar_read(&t->r, node);
        }
}

int toml_value(struct toml *t, struct tree_node *parent, const struct reader_key *key) {
        struct tree_node *node = reader_add(&t->r, parent, key);

        if (!node || value_read(t, node) < 0)
                return -1;
        node->end = (uint32_t)(t->r.next - t->r.text);
        return 0;
}
