#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

enum { FIRST_SIZE = 256 };

void buf_init(struct buf *buf, size_t max) {
        /* one byte more than max is allocated, for the NUL that vsnprintf() writes */
        *buf = (struct buf){ .max = max < SIZE_MAX ? max : SIZE_MAX - 1 };
}

void buf_free(struct buf *buf) {
        free(buf->ptr);
        buf_init(buf, buf->max);
}

void buf_clear(struct buf *buf) {
        buf->len = 0;
        buf->failed = false;
}

/* Room for `extra` bytes and a NUL behind them. */
static bool buf_reserve(struct buf *buf, size_t extra) {
        size_t cap = buf->cap ? buf->cap : FIRST_SIZE;
        char *ptr;

        if (buf->failed || extra > buf->max - buf->len) {
                buf->failed = true;
                return false;
        }
        if (buf->len + extra < buf->cap)
                return true;
        while (cap <= buf->len + extra)
                cap = cap <= buf->max / 2 ? cap * 2 : buf->max + 1;
        if (cap > buf->max + 1)
                cap = buf->max + 1;
        ptr = realloc(buf->ptr, cap);
        if (!ptr) {
                buf->failed = true;
                return false;
        }
        buf->ptr = ptr;
        buf->cap = cap;
        return true;
}

void buf_append(struct buf *buf, struct str s) {
        if (!buf_reserve(buf, s.len) || s.len == 0)
                return;
        memcpy(buf->ptr + buf->len, s.ptr, s.len);
        buf->len += s.len;
}

void buf_char(struct buf *buf, char c) {
        buf_append(buf, str_from(&c, 1));
}

void buf_visible(struct buf *buf, struct str s) {
        char room[STR_VISIBLE_SIZE];
        size_t taken;

        for (; s.len; s = str_skip(s, taken))
                buf_append(buf, str_visible(s, room, &taken));
}

void buf_columns(struct buf *buf, struct str s) {
        size_t size;

        for (; s.len; s = str_skip(s, size)) {
                unsigned char c = (unsigned char)s.ptr[0];
                uint32_t rune = rune_first(s, &size);

                if (c != '\t' && ((c >= 0x80 && size == 1) || rune_unseen(rune)))
                        buf_char(buf, '?');
                else
                        buf_append(buf, str_take(s, size));
        }
}

void buf_format(struct buf *buf, const char *format, ...) {
        va_list args;
        int len;

        va_start(args, format);
        len = vsnprintf(NULL, 0, format, args);
        va_end(args);
        if (len < 0)
                buf->failed = true;
        if (!buf_reserve(buf, len < 0 ? 0 : (size_t)len))
                return;
        va_start(args, format);
        vsnprintf(buf->ptr + buf->len, (size_t)len + 1, format, args);
        va_end(args);
        buf->len += (size_t)len;
}

/* The letter behind the backslash, or 0. */
static char json_short_escape(unsigned char c) {
        static const char letters[] = {
                ['"'] = '"', ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'
        };

        return c < sizeof(letters) ? letters[c] : '\0';
}

/* Length of the character at the start of `s` if it may stand in a JSON string as it is, else 0. */
static size_t json_plain(struct str s) {
        unsigned char c = (unsigned char)s.ptr[0];

        if (c < 0x80)
                return c >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
        if (c == 0xc2 && s.len > 1 && (unsigned char)s.ptr[1] < 0xa0) /* U+0080 to U+009F, if UTF-8 at all */
                return 0;
        return str_utf8(s);
}

/* Appends the character at the start of `s`, which is not plain; returns how many bytes it had. */
static size_t json_escape(struct buf *buf, struct str s) {
        unsigned char c = (unsigned char)s.ptr[0];
        char letter = json_short_escape(c);

        if (letter)
                buf_append(buf, str_from((char[]){ '\\', letter }, 2));
        else if (c < 0x80)
                buf_format(buf, "\\u%04x", c);
        else if (str_utf8(s) == 2) /* the only ones that are not plain: \xc2 and the number's own byte */
                buf_format(buf, "\\u%04x", (unsigned char)s.ptr[1]);
        else
                buf_append(buf, STR("\xef\xbf\xbd"));
        return c < 0x80 || str_utf8(s) == 0 ? 1 : 2;
}

void buf_json(struct buf *buf, struct str s) {
        size_t start = buf->len, run = 0, step;

        buf_char(buf, '"');
        while (run < s.len) {
                step = json_plain(str_skip(s, run));
                if (step) {
                        run += step;
                        continue;
                }
                buf_append(buf, str_take(s, run));
                s = str_skip(s, run);
                s = str_skip(s, json_escape(buf, s));
                run = 0;
        }
        buf_append(buf, s);
        buf_char(buf, '"');
        if (buf->failed)
                buf->len = start;
}
