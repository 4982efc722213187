/*
 * Numbers as the shell writes them, and what the operators do to them.
 */
#include "bash/eval/arith.h"

static struct arith_result known(int64_t value) {
        return (struct arith_result){ ARITH_KNOWN, value };
}

static const struct arith_result unknown = { ARITH_UNKNOWN, 0 }, error = { ARITH_ERROR, 0 };

/* ---- numbers ---- */

static int digit_value(unsigned char c, int64_t base) {
        if (is_ascii_digit(c))
                return c - '0';
        if (c >= 'a' && c <= 'z')
                return c - 'a' + 10;
        if (c >= 'A' && c <= 'Z')
                return base <= 36 ? c - 'A' + 10 : c - 'A' + 36;
        return c == '@' ? 62 : c == '_' ? 63 : -1;
}

static struct arith_result read_digits(struct str digits, int64_t base) {
        int64_t value = 0;

        for (size_t i = 0; i < digits.len; i++) {
                int digit = digit_value((unsigned char)digits.ptr[i], base);

                if (digit < 0 || digit >= base)
                        return error;
                if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value))
                        return unknown; /* bash wraps; who writes that has other plans */
        }
        return known(value);
}

struct arith_result arith_number(struct str text) {
        size_t hash = str_find(text, '#');
        struct arith_result base;

        if (hash < text.len) {
                base = read_digits(str_take(text, hash), 10);
                if (base.state != ARITH_KNOWN || base.value < 2 || base.value > 64 || hash + 1 == text.len)
                        return error;
                return read_digits(str_skip(text, hash + 1), base.value);
        }
        if (text.len > 1 && text.ptr[0] == '0') {
                bool hex = text.ptr[1] == 'x' || text.ptr[1] == 'X';

                return read_digits(str_skip(text, hex ? 2 : 1), hex ? 16 : 8);
        }
        return read_digits(text, 10);
}

/* ---- operators ---- */

static struct arith_result power(int64_t base, int64_t exponent) {
        uint64_t value = 1, factor = (uint64_t)base;

        if (exponent < 0)
                return error;
        for (; exponent; exponent >>= 1, factor *= factor)
                if (exponent & 1)
                        value *= factor;
        return known((int64_t)value);
}

static struct arith_result divide(char op, int64_t x, int64_t y) {
        if (y == 0)
                return error;
        if (y == -1)
                return known(op == '/' ? (int64_t) - (uint64_t)x : 0);
        return known(op == '/' ? x / y : x % y);
}

static struct arith_result shift(char op, int64_t x, int64_t y) {
        if (y < 0 || y > 63)
                return unknown; /* undefined in C, and so in bash */
        return known(op == '<' ? (int64_t)((uint64_t)x << y) : x >> y);
}

struct arith_result arith_apply(char op, struct arith_result left, struct arith_result right) {
        int64_t x = left.value, y = right.value;

        if (left.state == ARITH_ERROR || right.state == ARITH_ERROR)
                return error;
        if (left.state != ARITH_KNOWN || right.state != ARITH_KNOWN)
                return unknown;
        switch (op) {
        case '+':
                return known((int64_t)((uint64_t)x + (uint64_t)y));
        case '-':
                return known((int64_t)((uint64_t)x - (uint64_t)y));
        case '*':
                return known((int64_t)((uint64_t)x * (uint64_t)y));
        case '/':
        case '%':
                return divide(op, x, y);
        case '<':
        case '>':
                return shift(op, x, y);
        case '&':
                return known(x & y);
        case '|':
                return known(x | y);
        case '^':
                return known(x ^ y);
        case '=':
                return known(x == y);
        case '!':
                return known(x != y);
        case 'l':
                return known(x <= y);
        case 'g':
                return known(x >= y);
        case 'L':
                return known(x < y);
        case 'G':
                return known(x > y);
        case 'p':
                return power(x, y);
        default:
                return error;
        }
}
