/*
 * Any bytes in any pieces: what comes out is text and sequences that may pass, by a reading of its own; it is never in the
 * middle of one; the pieces make no difference; a second time changes nothing; and it is no longer than promised.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "run/terminal_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool truth) {
        if (!truth)
                abort();
}

/* ---- a reading of its own ---- */

static size_t span(struct str s, size_t at, unsigned char low, unsigned char high) {
        while (at < s.len && (unsigned char)s.ptr[at] >= low && (unsigned char)s.ptr[at] <= high)
                at++;
        return at;
}

/* "22;0t": the first number, 0 if there is none. */
static long first_number(struct str s) {
        char digits[8] = "";

        memcpy(digits, s.ptr, s.len < sizeof(digits) - 1 ? s.len : sizeof(digits) - 1);
        return strtol(digits, NULL, 10);
}

static size_t check_csi(struct str s) {
        size_t start = s.len && strchr("<=>?", s.ptr[0]) ? 1 : 0, end = span(s, start, '0', ';'), at = span(s, end, ' ', '/');
        long number = first_number(str_skip(s, start));
        char final;

        require(at < s.len && at - end <= 1 && at <= TERMINAL_CSI_MAX);
        final = s.ptr[at];
        require(final >= '@' && final <= '~' && !strchr("NOQRUVWY[\\]_ijkovwxyz{|}~", final));
        if (at > end)
                require((s.ptr[end] == '!' && final == 'p') || (s.ptr[end] == ' ' && final == 'q') ||
                        (s.ptr[end] == '$' && final == 'p'));
        else
                require(final != 'p' && final != 'q');
        if (final == 't')
                require(start == 0 && number >= 14 && number <= 23 && number != 15 && number != 17 && number != 20 &&
                        number != 21);
        if (final == 'n')
                require(number == 6 || (start == 0 && number == 5));
        if (final == 'c')
                require(number == 0 && (start == 0 || s.ptr[0] == '>'));
        return at + 1;
}

static size_t check_osc(struct str s) {
        size_t end = 0;

        while (end < s.len && (unsigned char)s.ptr[end] != 0x1b) {
                require((unsigned char)s.ptr[end] >= ' ' && s.ptr[end] != 0x7f);
                end++;
        }
        require(end + 1 < s.len && s.ptr[end + 1] == '\\' && end >= 2 && s.ptr[1] == ';' && strchr("0128", s.ptr[0]));
        if (s.ptr[0] == '8') {
                size_t uri = 2 + str_find(str_skip(str_take(s, end), 2), ';') + 1;
                struct str address = str_skip(str_take(s, end), uri);

                require(address.len == 0 || str_starts(address, STR("http://")) || str_starts(address, STR("https://")));
        }
        return end + 2;
}

static size_t check_escape(struct str s) {
        require(s.len > 0);
        if (s.ptr[0] == '[')
                return 1 + check_csi(str_skip(s, 1));
        if (s.ptr[0] == ']')
                return 1 + check_osc(str_skip(s, 1));
        if (strchr("()*+#", s.ptr[0])) {
                require(s.len > 1 && s.ptr[1] >= '0' && s.ptr[1] <= 'B');
                return 2;
        }
        require(strchr("78=>cDEHM", s.ptr[0]) != NULL);
        return 1;
}

static void check(struct str text) {
        for (size_t step; text.len > 0; text = str_skip(text, step)) {
                unsigned char c = (unsigned char)text.ptr[0];

                step = str_utf8(text);
                require(step > 0 && c != 0x7f);
                require(c >= ' ' || (c >= '\a' && c <= 0x0f) || c == 0x1b);
                require(c != 0xc2 || (unsigned char)text.ptr[1] >= 0xa0);
                if (c == 0x1b)
                        step = 1 + check_escape(str_skip(text, 1));
        }
}

/* ---- the filter ---- */

static void take(void *context, struct str bytes) {
        require(bytes.len > 0);
        buf_append(context, bytes);
}

static void filter(struct str bytes, size_t chunk, struct buf *ret) {
        static struct terminal_filter f;

        f = (struct terminal_filter){};
        buf_init(ret, SIZE_MAX);
        for (struct str rest = bytes; rest.len > 0; rest = str_skip(rest, chunk)) {
                size_t before = ret->len;

                terminal_filter_feed(&f, str_take(rest, chunk), take, ret);
                require(ret->len - before <= 3 * (chunk < rest.len ? chunk : rest.len) + TERMINAL_PASSED_MAX);
                check(buf_str(ret)); /* at any time */
        }
        terminal_filter_end(&f, take, ret);
        check(buf_str(ret));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct str bytes;
        BUF_AUTO whole = { 0 }, pieces = { 0 }, again = { 0 };

        if (size < 2 || size > 1024)
                return 0;
        bytes = str_from((const char *)data + 1, size - 1);
        filter(bytes, bytes.len, &whole);
        filter(bytes, (size_t)data[0] % 16 + 1, &pieces);
        require(str_eq(buf_str(&whole), buf_str(&pieces)));
        filter(buf_str(&whole), buf_str(&whole).len + 1, &again);
        require(str_eq(buf_str(&whole), buf_str(&again)));
        return 0;
}
