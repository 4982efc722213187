#include "base/rune.h"

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
