#include "policy/idna.h"

#include <stdbool.h>
#include <stdint.h>

/* The constants of RFC 3492, section 5. */
enum { BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, FIRST_BIAS = 72, FIRST_POINT = 0x80 };

enum { LABEL_POINTS_MAX = 63, POINT_MAX = 0x10ffff };

struct points {
        uint32_t items[LABEL_POINTS_MAX];
        uint32_t count;
};

static uint32_t digit_of(char c) {
        unsigned char lower = ascii_lower((unsigned char)c);

        return is_ascii_digit(lower) ? lower - '0' + 26u : lower >= 'a' && lower <= 'z' ? lower - 'a' + 0u : BASE;
}

static uint32_t adapt(uint32_t delta, uint32_t count, bool first) {
        uint32_t k = 0;

        delta = first ? delta / DAMP : delta / 2;
        for (delta += delta / count; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
                delta /= BASE - T_MIN;
        return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t threshold(uint32_t k, uint32_t bias) {
        return k <= bias + T_MIN ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
}

/* Adds a number of variable length to `delta`. */
static bool read_delta(struct str *rest, uint32_t bias, uint32_t *delta) {
        uint64_t sum = *delta, weight = 1;

        for (uint32_t k = BASE;; k += BASE) {
                uint32_t digit = rest->len ? digit_of(rest->ptr[0]) : BASE, t = threshold(k, bias);

                if (digit >= BASE || weight > UINT32_MAX)
                        return false;
                *rest = str_skip(*rest, 1);
                sum += digit * weight;
                if (sum > UINT32_MAX)
                        return false;
                if (digit < t)
                        break;
                weight *= BASE - t;
        }
        *delta = (uint32_t)sum;
        return true;
}

static bool insert(struct points *points, uint32_t at, uint32_t point) {
        if (points->count == LABEL_POINTS_MAX || point > POINT_MAX || (point >= 0xd800 && point <= 0xdfff))
                return false;
        for (uint32_t i = points->count++; i > at; i--)
                points->items[i] = points->items[i - 1];
        points->items[at] = point;
        return true;
}

/* What stands behind "xn--". */
static bool decode(struct str label, struct points *ret) {
        uint32_t point = FIRST_POINT, bias = FIRST_BIAS, at = 0;
        size_t plain = label.len;

        ret->count = 0;
        while (plain && label.ptr[plain - 1] != '-')
                plain--;
        for (size_t i = 0; i + 1 < plain; i++)
                if (!insert(ret, ret->count, ascii_lower((unsigned char)label.ptr[i])))
                        return false;
        for (label = str_skip(label, plain); label.len; at++) {
                uint32_t before = at;
                uint64_t next;

                if (!read_delta(&label, bias, &at))
                        return false;
                bias = adapt(at - before, ret->count + 1, before == 0);
                next = (uint64_t)point + at / (ret->count + 1);
                at %= ret->count + 1;
                if (next > POINT_MAX || !insert(ret, at, (uint32_t)next))
                        return false;
                point = (uint32_t)next;
        }
        return true;
}

static size_t put_utf8(uint32_t point, char out[static 4]) {
        size_t more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
        static const unsigned char first[] = { 0, 0xc0, 0xe0, 0xf0 };

        out[0] = (char)(first[more] | point >> 6 * more);
        for (size_t i = 1; i <= more; i++)
                out[i] = (char)(0x80 | (point >> 6 * (more - i) & 0x3f));
        return more + 1;
}

static size_t put_label(struct str label, char *out) {
        struct points points;
        size_t len = 0;

        if (!str_eq_nocase(str_take(label, 4), STR("xn--")) || !decode(str_skip(label, 4), &points)) {
                memcpy(out, label.ptr, label.len);
                return label.len;
        }
        for (uint32_t i = 0; i < points.count; i++)
                len += put_utf8(points.items[i], out + len);
        return len;
}

struct str idna_read(struct str name, char room[static IDNA_MAX]) {
        struct str rest = name;
        size_t len = 0;

        while (rest.len) {
                size_t end = str_find(rest, '.');
                struct str label = str_take(rest, end);

                if (len + label.len + 4 * (size_t)LABEL_POINTS_MAX + 1 > IDNA_MAX)
                        return name;
                len += put_label(label, room + len);
                if (end < rest.len)
                        room[len++] = '.';
                rest = str_skip(rest, end + 1);
        }
        return str_from(room, len);
}
