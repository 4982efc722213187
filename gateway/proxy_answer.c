#include "gateway/proxy_answer.h"

#include <stdio.h>
#include <string.h>

/* ---- the request ---- */

static void write_base64(struct str bytes, char *out) {
        static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        size_t n = 0;

        for (size_t i = 0; i < bytes.len; i += 3) {
                uint32_t group = (uint32_t)(unsigned char)bytes.ptr[i] << 16;

                if (i + 1 < bytes.len)
                        group |= (uint32_t)(unsigned char)bytes.ptr[i + 1] << 8;
                if (i + 2 < bytes.len)
                        group |= (unsigned char)bytes.ptr[i + 2];
                for (size_t k = 0; k < 4; k++)
                        out[n++] = (char)(i + k <= bytes.len ? digits[group >> (18 - 6 * k) & 63] : '=');
        }
        out[n] = '\0';
}

void proxy_header_write(struct str login, char *out, size_t size) {
        char encoded[PROXY_REQUEST_MAX] = "";

        out[0] = '\0';
        if (!login.len || login.len / 3 * 4 + 5 > sizeof(encoded))
                return;
        write_base64(login, encoded);
        snprintf(out, size, "Proxy-Authorization: Basic %s\r\n", encoded);
}

size_t proxy_request_write(struct str name, uint16_t port, const char *header, char *out, size_t size) {
        int len = snprintf(out, size, "CONNECT %.*s:%u HTTP/1.1\r\nHost: %.*s:%u\r\n%s\r\n", (int)name.len, name.ptr, port,
                           (int)name.len, name.ptr, port, header);

        return len > 0 && (size_t)len < size ? (size_t)len : 0;
}

/* ---- the answer ---- */

/* "HTTP/1.1 200", and then a space or the end of the line. */
static enum proxy_words read_status(struct str text, int *ret_status) {
        static const struct str begin = STR("HTTP/1.");
        enum { VERSION = 7, SPACE, STATUS, END = STATUS + 3 };

        if (!str_starts(begin, str_take(text, begin.len)))
                return PROXY_BAD;
        for (size_t i = VERSION; i <= END && i < text.len; i++) {
                unsigned char c = (unsigned char)text.ptr[i];

                if (i == SPACE ? c != ' ' : i == END ? c != ' ' && c != '\r' && c != '\n' : !is_ascii_digit(c))
                        return PROXY_BAD;
        }
        if (text.len <= END)
                return PROXY_MORE;
        *ret_status = (text.ptr[STATUS] - '0') * 100 + (text.ptr[STATUS + 1] - '0') * 10 + text.ptr[STATUS + 2] - '0';
        return PROXY_HEAD;
}

enum proxy_words proxy_answer_read(const uint8_t *bytes, size_t len, int *ret_status, size_t *ret_len) {
        struct str all = str_take(str_from((const char *)bytes, len), PROXY_HEAD_MAX), rest = all;
        enum proxy_words found = read_status(all, ret_status);

        if (found != PROXY_HEAD)
                return found;
        while (rest.len) {
                size_t end = str_find(rest, '\n'), line = end;

                if (memchr(rest.ptr, '\0', end))
                        return PROXY_BAD;
                if (end == rest.len)
                        break;
                rest = str_skip(rest, end + 1);
                line -= line && rest.ptr[-2] == '\r';
                if (!line) {
                        *ret_len = all.len - rest.len;
                        return PROXY_HEAD;
                }
        }
        return len < PROXY_HEAD_MAX ? PROXY_MORE : PROXY_BAD;
}

void proxy_status_text(int status, char *out, size_t size) {
        static const struct {
                int status;
                const char *text;
        } rows[] = {
                { 400, "it does not accept the request" },
                { 403, "it refuses this host or port" },
                { 404, "it cannot find the host" },
                { 405, "it does not support CONNECT" },
                { 407, "it requires a user and password, which belong into its URL" },
                { 501, "it does not support CONNECT" },
                { 502, "it cannot reach the host" },
                { 503, "it cannot reach the host" },
                { 504, "the host does not answer it" },
        };

        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                if (rows[i].status == status) {
                        snprintf(out, size, "%s (%d)", rows[i].text, status);
                        return;
                }
        snprintf(out, size, "it answers with status %d", status);
}
