#include "base/str.h"

#include <stdio.h>

int str_cmp(struct str a, struct str b) {
        size_t common = a.len < b.len ? a.len : b.len;
        int order = common ? memcmp(a.ptr, b.ptr, common) : 0;

        return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool str_starts(struct str s, struct str prefix) {
        return s.len >= prefix.len && str_eq(str_take(s, prefix.len), prefix);
}

bool str_ends(struct str s, struct str suffix) {
        return s.len >= suffix.len && str_eq(str_skip(s, s.len - suffix.len), suffix);
}

bool str_eq_nocase(struct str a, struct str b) {
        if (a.len != b.len)
                return false;
        for (size_t i = 0; i < a.len; i++)
                if (ascii_lower((unsigned char)a.ptr[i]) != ascii_lower((unsigned char)b.ptr[i]))
                        return false;
        return true;
}

size_t str_find(struct str s, char c) {
        const char *hit = s.len ? memchr(s.ptr, c, s.len) : NULL;

        return hit ? (size_t)(hit - s.ptr) : s.len;
}

bool in_words(const char *list, struct str word) {
        for (const char *next; list; list = next ? next + 1 : NULL) {
                size_t i = 0;

                while (i < word.len && list[i] && list[i] == word.ptr[i])
                        i++;
                if (i == word.len && i && (!list[i] || list[i] == ' '))
                        return true;
                next = strchr(list, ' ');
        }
        return false;
}

struct str str_trim(struct str s) {
        while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
                s = str_skip(s, 1);
        while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
                s.len--;
        return s;
}

static size_t decode(struct str text, const char *digits, unsigned width, char *out) {
        uint32_t bits = 0;
        unsigned count = 0;
        size_t len = 0;

        for (size_t i = 0; i < text.len && text.ptr[i] != '='; i++) {
                const char *digit = text.ptr[i] ? strchr(digits, text.ptr[i]) : NULL;

                if (!digit)
                        return 0;
                bits = bits << width | ((uint32_t)(digit - digits) & ((1U << width) - 1));
                count += width;
                if (count >= 8)
                        out[len++] = (char)(bits >> (count -= 8));
        }
        return len;
}

size_t hex_decode(struct str digits, char *out) {
        return digits.len % 2 ? 0 : decode(digits, "0123456789abcdef0123456789ABCDEF", 4, out);
}

size_t base64_decode(struct str digits, char *out) {
        return decode(digits, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, out);
}

size_t str_utf8(struct str s) {
        const unsigned char *b = (const unsigned char *)s.ptr;
        unsigned char low = 0x80, high = 0xbf; /* what the second byte may be */
        size_t len;

        if (s.len == 0)
                return 0;
        if (b[0] < 0x80)
                return 1;
        if (b[0] < 0xc2 || b[0] > 0xf4)
                return 0;
        len = b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : 4;
        if (b[0] == 0xe0)
                low = 0xa0; /* less is overlong */
        else if (b[0] == 0xed)
                high = 0x9f; /* more is a surrogate */
        else if (b[0] == 0xf0)
                low = 0x90; /* less is overlong */
        else if (b[0] == 0xf4)
                high = 0x8f; /* more is past U+10FFFF */
        if (s.len < len || b[1] < low || b[1] > high)
                return 0;
        for (size_t i = 2; i < len; i++)
                if ((b[i] & 0xc0) != 0x80)
                        return 0;
        return len;
}

struct str str_visible(struct str s, char room[static STR_VISIBLE_SIZE], size_t *ret_taken) {
        unsigned char c = (unsigned char)s.ptr[0];
        uint32_t rune = rune_first(s, ret_taken);
        bool broken = c >= 0x80 && *ret_taken == 1;

        if (!broken && !rune_unseen(rune))
                return str_take(s, *ret_taken);
        if (c == '\n' || c == '\t')
                snprintf(room, STR_VISIBLE_SIZE, "\\%c", c == '\n' ? 'n' : 't');
        else if (broken || c < 0x80)
                snprintf(room, STR_VISIBLE_SIZE, "\\x%02x", c);
        else
                snprintf(room, STR_VISIBLE_SIZE, rune > 0xffff ? "\\U%08x" : "\\u%04x", rune);
        return str_z(room);
}

uint32_t rune_first(struct str s, size_t *ret_size) {
        static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
        size_t size = str_utf8(s);
        uint32_t rune;

        if (!size) {
                *ret_size = 1;
                return RUNE_REPLACEMENT;
        }
        rune = (unsigned char)s.ptr[0] & masks[size];
        for (size_t i = 1; i < size; i++)
                rune = rune << 6 | ((unsigned char)s.ptr[i] & 0x3f);
        *ret_size = size;
        return rune;
}

/* Sorted. */
static const struct {
        uint32_t first, last;
} unseen[] = {
        { 0x0000, 0x001f },   { 0x007f, 0x00a0 },   { 0x00ad, 0x00ad },    { 0x034f, 0x034f }, { 0x061c, 0x061c },
        { 0x115f, 0x1160 },   { 0x1680, 0x1680 },   { 0x17b4, 0x17b5 },    { 0x180b, 0x180f }, { 0x2000, 0x200f },
        { 0x2028, 0x202f },   { 0x205f, 0x206f },   { 0x3000, 0x3000 },    { 0x3164, 0x3164 }, { 0xe000, 0xf8ff },
        { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },    { 0xfff0, 0xfffb }, { 0xfffe, 0xffff },
        { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0x10ffff },
};

bool rune_unseen(uint32_t rune) {
        for (size_t i = 0; i < sizeof(unseen) / sizeof(*unseen) && unseen[i].first <= rune; i++)
                if (rune <= unseen[i].last)
                        return true;
        return false;
}
