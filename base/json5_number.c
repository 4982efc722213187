/*
 * JSON5: numbers. Written without point and exponent, and within 64 bits, they are integers; all others are floats.
 */
#include "base/json5_parts.h"

#include <math.h>

static bool is_digit(int c) {
        return c >= '0' && c <= '9';
}

bool json5_number_ahead(const struct json5 *j) {
        int c = reader_peek(&j->r);

        if (is_digit(c) || c == '-')
                return true;
        return !j->strict && (c == '+' || c == '.' || reader_starts(&j->r, "Infinity") || reader_starts(&j->r, "NaN"));
}

static size_t digits_skip(struct reader *r) {
        const char *from = r->next;

        while (is_digit(reader_peek(r)))
                r->next++;
        return (size_t)(r->next - from);
}

/* What was read since `from`, as a float. */
static int float_read(struct reader *r, const char *from, bool negative, struct tree_node *node) {
        node->kind = TREE_FLOAT;
        if (reader_double(r, str_from(from, (size_t)(r->next - from)), &node->real) < 0)
                return -1;
        if (negative)
                node->real = -node->real;
        return 0;
}

static int hex_read(struct reader *r, struct tree_node *node, bool negative) {
        const char *from = r->next;
        struct str digits;

        r->next += 2;
        while (hex_value(reader_peek(r)) >= 0)
                r->next++;
        digits = str_from(from + 2, (size_t)(r->next - from - 2));
        if (!digits.len)
                return reader_expected(r, "a hexadecimal digit");
        node->kind = TREE_INTEGER;
        if (integer_parse(digits, 16, negative, &node->integer) == 0)
                return 0;
        return float_read(r, from, negative, node);
}

/* "5." and ".5" are numbers in JSON5 only, "." is none. */
static int fraction_read(struct json5 *j, bool has_whole) {
        size_t len;

        j->r.next++;
        len = digits_skip(&j->r);
        return len || (has_whole && !j->strict) ? 0 : reader_expected(&j->r, "a digit after '.'");
}

static int exponent_read(struct reader *r) {
        r->next++;
        if (!reader_take(r, "+"))
                reader_take(r, "-");
        return digits_skip(r) ? 0 : reader_expected(r, "a digit in the exponent");
}

static int decimal_read(struct json5 *j, struct tree_node *node, bool negative) {
        struct reader *r = &j->r;
        const char *from = r->next;
        struct str digits = { from, digits_skip(r) };
        bool is_float = reader_peek(r) == '.';

        if (!digits.len && (j->strict || !is_float))
                return reader_expected(r, "a digit");
        if (digits.len > 1 && *from == '0')
                return reader_fail(r, node->at, "a number must not start with 0");
        if (is_float && fraction_read(j, digits.len > 0) < 0)
                return -1;
        if (reader_peek(r) == 'e' || reader_peek(r) == 'E') {
                is_float = true;
                if (exponent_read(r) < 0)
                        return -1;
        }
        node->kind = TREE_INTEGER;
        if (!is_float && integer_parse(digits, 10, negative, &node->integer) == 0)
                return 0;
        return float_read(r, from, negative, node);
}

int json5_number(struct json5 *j, struct tree_node *node) {
        struct reader *r = &j->r;
        bool negative = reader_take(r, "-");

        if (!negative && !j->strict)
                reader_take(r, "+");
        if (!j->strict) {
                double special = reader_take(r, "Infinity") ? INFINITY : reader_take(r, "NaN") ? NAN : 0;

                if (special != 0) { /* true for NaN */
                        node->kind = TREE_FLOAT;
                        node->real = negative ? -special : special;
                        return 0;
                }
                if (reader_starts(r, "0x") || reader_starts(r, "0X"))
                        return hex_read(r, node, negative);
        }
        return decimal_read(j, node, negative);
}
