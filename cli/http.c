#include "cli/http.h"

#include <stdbool.h>

const char *http_reason(enum http_status status) {
        switch (status) {
        case HTTP_OK:
                return "OK";
        case HTTP_BAD_REQUEST:
                return "Bad Request";
        case HTTP_FORBIDDEN:
                return "Forbidden";
        case HTTP_NOT_FOUND:
                return "Not Found";
        case HTTP_METHOD_NOT_ALLOWED:
                return "Method Not Allowed";
        case HTTP_MISDIRECTED:
                return "Misdirected Request";
        case HTTP_TOO_LARGE:
                return "Request Header Fields Too Large";
        case HTTP_VERSION_UNKNOWN:
                return "HTTP Version Not Supported";
        case HTTP_INCOMPLETE:
        case HTTP_FAILED:
                break;
        }
        return "Internal Server Error";
}

/* ---- lines ---- */

static bool is_token(struct str s) {
        for (size_t i = 0; i < s.len; i++)
                if (!is_ascii_alnum((unsigned char)s.ptr[i]) && (!s.ptr[i] || !strchr("!#$%&'*+-.^_`|~", s.ptr[i])))
                        return false;
        return s.len > 0;
}

/* No controls. Other servers of this host set cookies too, so bytes past ASCII may come. */
static bool is_field_text(struct str s) {
        for (size_t i = 0; i < s.len; i++) {
                unsigned char c = (unsigned char)s.ptr[i];

                if ((c < ' ' && c != '\t') || c == 0x7f)
                        return false;
        }
        return true;
}

/* Takes the next line, which ends in CR LF, and has neither of them inside. */
static bool take_line(struct str *rest, struct str *ret_line) {
        size_t end = str_find(*rest, '\n');

        if (end == rest->len || end == 0 || rest->ptr[end - 1] != '\r')
                return false;
        *ret_line = str_take(*rest, end - 1);
        *rest = str_skip(*rest, end + 1);
        return str_find(*ret_line, '\r') == ret_line->len;
}

/* ---- the head ---- */

static enum http_status read_request_line(struct str line, struct http_request *ret) {
        size_t method = str_find(line, ' ');
        struct str rest = str_skip(line, method + 1), target = str_take(rest, str_find(rest, ' '));
        struct str version = str_skip(rest, target.len + 1);

        if (!is_token(str_take(line, method)) || !target.len || target.ptr[0] != '/' || !str_starts(version, STR("HTTP/")))
                return HTTP_BAD_REQUEST;
        for (size_t i = 0; i < target.len; i++)
                if (target.ptr[i] <= ' ' || target.ptr[i] > '~')
                        return HTTP_BAD_REQUEST;
        if (!str_is(version, "HTTP/1.1"))
                return HTTP_VERSION_UNKNOWN;
        if (!str_is(str_take(line, method), "GET"))
                return HTTP_METHOD_NOT_ALLOWED;
        ret->path = str_take(target, str_find(target, '?'));
        ret->query = str_skip(target, ret->path.len + 1);
        return HTTP_OK;
}

/* Each of these once at most. */
static bool keep(struct str *place, struct str value) {
        if (place->ptr)
                return false;
        *place = value;
        return true;
}

static enum http_status read_field(struct str line, struct http_request *ret) {
        size_t colon = str_find(line, ':');
        struct str name = str_take(line, colon), value = str_trim(str_skip(line, colon + 1));

        if (colon == line.len || !is_token(name) || !is_field_text(value))
                return HTTP_BAD_REQUEST;
        if (str_eq_nocase(name, STR("host")))
                return keep(&ret->host, value) ? HTTP_OK : HTTP_BAD_REQUEST;
        if (str_eq_nocase(name, STR("cookie")))
                return keep(&ret->cookies, value) ? HTTP_OK : HTTP_BAD_REQUEST;
        /* A request for a page has no body, and what would make one is not looked at more closely. */
        if (str_eq_nocase(name, STR("transfer-encoding")) ||
            (str_eq_nocase(name, STR("content-length")) && !str_is(value, "0")))
                return HTTP_BAD_REQUEST;
        return HTTP_OK;
}

/* Where the empty line ends that ends the head; 0: not there yet. */
static size_t head_length(struct str bytes) {
        const char *end = bytes.len ? memmem(bytes.ptr, bytes.len, "\r\n\r\n", 4) : NULL;

        return end ? (size_t)(end - bytes.ptr) + 4 : 0;
}

enum http_status http_read(struct str bytes, struct http_request *ret) {
        struct http_request request = {};
        size_t length = head_length(bytes);
        struct str rest = str_take(bytes, length), line = {};
        enum http_status status;

        if (!length)
                return bytes.len < HTTP_HEAD_MAX ? HTTP_INCOMPLETE : HTTP_TOO_LARGE;
        if (length > HTTP_HEAD_MAX)
                return HTTP_TOO_LARGE;
        if (length < bytes.len || !take_line(&rest, &line)) /* what comes behind the head is a body, or another request */
                return HTTP_BAD_REQUEST;
        status = read_request_line(line, &request);
        while (status == HTTP_OK) {
                if (!take_line(&rest, &line))
                        return HTTP_BAD_REQUEST;
                if (!line.len)
                        break;
                status = read_field(line, &request);
        }
        if (status != HTTP_OK)
                return status;
        if (rest.len || !request.host.ptr)
                return HTTP_BAD_REQUEST;
        *ret = request;
        return HTTP_OK;
}

struct str http_cookie(const struct http_request *request, const char *name) {
        struct str rest = request->cookies, found = {};

        while (rest.len) {
                struct str pair = str_trim(str_take(rest, str_find(rest, ';')));
                size_t equals = str_find(pair, '=');

                if (equals < pair.len && str_is(str_take(pair, equals), name) && !keep(&found, str_skip(pair, equals + 1)))
                        return (struct str){};
                rest = str_skip(rest, str_find(rest, ';') + 1);
        }
        return found;
}
