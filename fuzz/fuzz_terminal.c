/*
 * Any bytes in any pieces: what comes out is UTF-8 without control characters, the pieces make no difference, and a second
 * time changes nothing.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "run/terminal_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth) {
        if (!truth)
                abort();
}

static void take(void *context, struct str text) {
        require(text.len > 0);
        buf_append(context, text);
}

static bool make_plain(struct str bytes, size_t chunk, struct buf *ret) {
        static struct terminal_text plain;

        buf_init(ret, SIZE_MAX);
        terminal_text_init(&plain, TERMINAL_TEXT);
        for (struct str rest = bytes; rest.len > 0; rest = str_skip(rest, chunk))
                terminal_text_feed(&plain, str_take(rest, chunk), take, ret);
        terminal_text_end(&plain, take, ret);
        return plain.invalid_utf8;
}

static void check(struct str text) {
        for (size_t step; text.len > 0; text = str_skip(text, step)) {
                unsigned char c = (unsigned char)text.ptr[0];

                step = str_utf8(text);
                require(step > 0);
                require(c == '\n' || c == '\t' || (c >= ' ' && c != 0x7f));
                require(c != 0xc2 || (unsigned char)text.ptr[1] >= 0xa0);
                require(!str_starts(text, STR("\xe2\x80\xae")) && !str_starts(text, STR("\xf3\xa0\x81")));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct str bytes;
        BUF_AUTO whole = { 0 }, pieces = { 0 }, again = { 0 };
        bool invalid;

        if (size < 2)
                return 0;
        bytes = str_from((const char *)data + 1, size - 1);
        invalid = make_plain(bytes, bytes.len, &whole);
        require(make_plain(bytes, (size_t)data[0] + 1, &pieces) == invalid);
        require(str_eq(buf_str(&whole), buf_str(&pieces)));
        check(buf_str(&whole));
        require(!make_plain(buf_str(&whole), (size_t)data[0] + 1, &again));
        require(str_eq(buf_str(&whole), buf_str(&again)));
        return 0;
}
