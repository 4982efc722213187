#include "run/terminal_text.h"

enum { UTF8_MAX = 4 };

/* Characters that are not seen, or that change how others are. */
static const struct {
        uint32_t first, last;
} hidden[] = {
        { 0x0080, 0x009f },   /* C1: some terminals take them for sequences */
        { 0x061c, 0x061c },   /* bidi: a mark */
        { 0x180e, 0x180e },   /* a vowel separator without width */
        { 0x200b, 0x200f },   /* no width, joiners, marks of direction */
        { 0x2028, 0x202e },   /* separators of lines; bidi: embeddings, overrides */
        { 0x2060, 0x206f },   /* invisible operators; bidi: isolates */
        { 0xfeff, 0xfeff },   /* a space without width */
        { 0xfff9, 0xfffb },   /* annotations */
        { 0xe0000, 0xe007f }, /* tags: ASCII that is not seen */
        { 0xe0100, 0xe01ef }, /* variation selectors, of which a text can be made, too */
};

uint32_t terminal_code_point(struct str c) {
        uint32_t code = (unsigned char)c.ptr[0];

        if (c.len > 1)
                code &= 0x7fU >> c.len;
        for (size_t i = 1; i < c.len; i++)
                code = code << 6 | ((unsigned char)c.ptr[i] & 0x3f);
        return code;
}

bool terminal_hidden(struct str c) {
        uint32_t code = terminal_code_point(c);

        for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
                if (code <= hidden[i].last)
                        return code >= hidden[i].first;
        return false;
}

/* Is every byte from ' ' to '~'? A borrow comes from a byte that is none, and there is no carry but from such. */
static bool all_printable(uint64_t word) {
        const uint64_t ones = UINT64_C(0x0101010101010101);

        return ((word | (word - ones * ' ') | (word + ones)) & ones * 0x80) == 0;
}

size_t terminal_clean_run(struct str s) {
        size_t at = 0, step;
        uint64_t word;

        for (; at < s.len; at += step) {
                step = sizeof(word);
                if (s.len - at >= sizeof(word)) {
                        memcpy(&word, s.ptr + at, sizeof(word));
                        if (all_printable(word))
                                continue;
                }
                step = 1;
                if (terminal_is_text((unsigned char)s.ptr[at]))
                        continue;
                if ((unsigned char)s.ptr[at] < 0x80)
                        break;
                step = str_utf8(str_skip(s, at));
                if (step == 0 || terminal_hidden(str_from(s.ptr + at, step)))
                        break;
        }
        return at;
}

/* If some bytes do, the lowest or the highest ones do. */
bool terminal_may_become_utf8(struct str bytes) {
        char low[UTF8_MAX], high[UTF8_MAX];

        memset(low, 0x80, sizeof(low));
        memset(high, 0xbf, sizeof(high));
        memcpy(low, bytes.ptr, bytes.len);
        memcpy(high, bytes.ptr, bytes.len);
        return str_utf8(str_from(low, sizeof(low))) > bytes.len || str_utf8(str_from(high, sizeof(high))) > bytes.len;
}
