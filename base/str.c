#include "base/str.h"

#include <stdio.h>

#include "base/rune.h"

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

struct str str_trim(struct str s) {
        while (s.len && (s.ptr[0] == ' ' || s.ptr[0] == '\t'))
                s = str_skip(s, 1);
        while (s.len && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t'))
                s.len--;
        return s;
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
