/*
 * {first..last..step}: numbers, zero-padded if one of them is, or letters.
 */
#include "bash/eval/brace.h"

static bool read_integer(struct str s, int64_t *ret) {
        bool negative = s.len > 1 && s.ptr[0] == '-';
        size_t i = negative || (s.len > 1 && s.ptr[0] == '+');
        int64_t value = 0;

        if (i == s.len)
                return false;
        for (; i < s.len; i++)
                if (!is_ascii_digit((unsigned char)s.ptr[i]) || __builtin_mul_overflow(value, 10, &value) ||
                    __builtin_add_overflow(value, s.ptr[i] - '0', &value))
                        return false;
        *ret = negative ? -value : value;
        return true;
}

static size_t padded_width(struct str s) {
        bool negative = s.len && s.ptr[0] == '-';

        return s.len > 1u + negative && s.ptr[negative] == '0' ? s.len : 0;
}

static size_t find_dots(struct str s) {
        for (size_t i = 0; i + 1 < s.len; i++)
                if (s.ptr[i] == '.' && s.ptr[i + 1] == '.')
                        return i;
        return s.len;
}

bool brace_sequence_read(struct str text, struct brace_sequence *q) {
        struct str first = str_take(text, find_dots(text)), last = str_skip(text, first.len + 2);
        size_t dots = find_dots(last);

        *q = (struct brace_sequence){ .step = 1 };
        if (first.len + 2 > text.len)
                return false;
        if (dots < last.len) {
                if (!read_integer(str_skip(last, dots + 2), &q->step))
                        return false;
                last = str_take(last, dots);
        }
        if (first.len == 1 && last.len == 1 && is_ascii_alpha((unsigned char)*first.ptr) &&
            is_ascii_alpha((unsigned char)*last.ptr)) {
                q->letters = true;
                q->first = (unsigned char)*first.ptr;
                q->last = (unsigned char)*last.ptr;
        } else {
                size_t a = padded_width(first), z = padded_width(last);

                if (!read_integer(first, &q->first) || !read_integer(last, &q->last))
                        return false;
                if (a || z)
                        q->width = first.len > last.len ? first.len : last.len;
        }
        if (q->step == INT64_MIN)
                return false;
        q->step = q->step == 0 ? 1 : q->step < 0 ? -q->step : q->step;
        return true;
}

struct str brace_sequence_member(struct budget *budget, const struct brace_sequence *q, int64_t value) {
        char digits[24], *text;
        size_t n = 0, len;
        uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

        if (q->letters) {
                text = budget_bytes(budget, 1);
                if (text)
                        *text = (char)value;
                return str_from(text, text ? 1 : 0);
        }
        do
                digits[n++] = (char)('0' + rest % 10);
        while (rest /= 10);
        len = n + (value < 0) > q->width ? n + (value < 0) : q->width;
        text = budget_bytes(budget, len);
        if (!text)
                return STR("");
        memset(text, '0', len);
        if (value < 0)
                text[0] = '-';
        for (size_t i = 0; i < n; i++)
                text[len - 1 - i] = digits[i];
        return str_from(text, len);
}
