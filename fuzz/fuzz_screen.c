/*
 * Any bytes in any pieces, on a screen of any size that changes: what it shows is UTF-8 without control characters, no wider
 * than the screen, and the pieces make no difference.
 */
#include <stdlib.h>

#include "run/screen_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth) {
        if (!truth)
                abort();
}

static void check_row(struct str text, unsigned columns) {
        unsigned used = 0;

        for (size_t step; text.len; text = str_skip(text, step)) {
                unsigned char c = (unsigned char)text.ptr[0];

                step = str_utf8(text);
                require(step > 0 && c >= ' ' && c != 0x7f);
                require(c != 0xc2 || (unsigned char)text.ptr[1] >= 0xa0);
                require(!str_starts(text, STR("\xe2\x80\xae")));
                used += c < 0x80;
        }
        require(used <= columns);
}

static void check(const struct screen *s, struct buf *ret) {
        struct screen_state state;

        screen_state(s, &state);
        require(state.row < state.rows && state.column < state.columns);
        require(s->top <= s->bottom && s->bottom < s->rows);
        for (unsigned row = 0; row < state.rows; row++) {
                size_t before = ret->len;

                for (unsigned i = s->page->lines[row].used; i < s->columns; i++)
                        require(!s->page->lines[row].cells[i].code);
                screen_row(s, row, ret);
                require(!ret->failed);
                check_row(str_skip(buf_str(ret), before), state.columns);
                buf_char(ret, '\n');
        }
}

static void show(const uint8_t *head, struct str bytes, size_t chunk, struct buf *ret) {
        struct screen *screen;
        size_t half = bytes.len / 2;

        buf_init(ret, SIZE_MAX);
        require(screen_new(head[0] % 40 + 1U, head[1] % 100 + 1U, &screen, NULL) == 0);
        for (struct str rest = str_take(bytes, half); rest.len > 0; rest = str_skip(rest, chunk))
                screen_feed(screen, str_take(rest, chunk));
        check(screen, ret);
        require(screen_resize(screen, head[2] % 40 + 1U, head[3] % 100 + 1U, NULL) == 0);
        check(screen, ret);
        for (struct str rest = str_skip(bytes, half); rest.len > 0; rest = str_skip(rest, chunk))
                screen_feed(screen, str_take(rest, chunk));
        check(screen, ret);
        screen_free(screen);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        BUF_AUTO whole = { 0 }, pieces = { 0 };
        struct str bytes;

        if (size < 6)
                return 0;
        bytes = str_from((const char *)data + 5, size - 5);
        show(data, bytes, bytes.len, &whole);
        show(data, bytes, (size_t)data[4] + 1, &pieces);
        require(str_eq(buf_str(&whole), buf_str(&pieces)));
        return 0;
}
