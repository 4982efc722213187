#include "gateway/request.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"

enum { METHOD_MAX = 24 };

/* "GET /path HTTP/1.1" */
struct line {
        struct str method, target;
};

static bool is_method(unsigned char c) {
        return (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

/* "HTTP/1.1" and the end of the line, which is `ret_len` bytes behind. */
static enum first_words read_version(struct str text, size_t *ret_len) {
        static const struct str begin = STR("HTTP/1.");
        size_t at = begin.len + 1; /* a digit */

        if (!str_starts(begin, str_take(text, begin.len)))
                return FIRST_OTHER;
        if (text.len > begin.len && !is_ascii_digit((unsigned char)text.ptr[begin.len]))
                return FIRST_BAD;
        at += text.len > at && text.ptr[at] == '\r';
        if (text.len <= at)
                return FIRST_MORE;
        *ret_len = at + 1;
        return text.ptr[at] == '\n' ? FIRST_NAME : FIRST_BAD;
}

static size_t skip_spaces(struct str bytes, size_t at) {
        while (at < bytes.len && bytes.ptr[at] == ' ')
                at++;
        return at;
}

/* FIRST_NAME: it is the first line of a request, and ends before `ret_rest`. Servers take more than one space. */
static enum first_words read_line(struct str bytes, struct line *ret, struct str *ret_rest) {
        size_t method = 0, target, start, version, end;
        enum first_words found;

        while (method < bytes.len && method <= METHOD_MAX && is_method((unsigned char)bytes.ptr[method]))
                method++;
        if (method == bytes.len && method <= METHOD_MAX)
                return FIRST_MORE;
        if (!method || method > METHOD_MAX || bytes.ptr[method] != ' ')
                return FIRST_OTHER;
        start = skip_spaces(bytes, method);
        for (target = start; target < bytes.len && (unsigned char)bytes.ptr[target] > ' ';)
                target++;
        version = skip_spaces(bytes, target);
        if (version == bytes.len)
                return version < REQUEST_HEAD_MAX ? FIRST_MORE : FIRST_BAD;
        if (target == start || version == target)
                return FIRST_OTHER; /* HTTP/0.9, or something else that begins with capitals */
        found = read_version(str_skip(bytes, version), &end);
        if (found != FIRST_NAME)
                return found;
        ret->method = str_take(bytes, method);
        ret->target = str_from(bytes.ptr + start, target - start);
        *ret_rest = str_skip(bytes, version + end);
        return FIRST_NAME;
}

static bool is_name_byte(unsigned char c) {
        return is_ascii_alnum(c) || c == '-' || c == '_' || c == '.';
}

/* "name", "name:port", "[address]:port" */
static bool read_host(struct str text, struct str *ret) {
        size_t end = 0;

        if (text.len && text.ptr[0] == '[') {
                end = str_find(text, ']');
                for (size_t i = 1; i < end; i++)
                        if (!is_ascii_alnum((unsigned char)text.ptr[i]) && text.ptr[i] != ':' && text.ptr[i] != '.')
                                return false;
                if (end++ == text.len || end < 4)
                        return false;
        } else {
                while (end < text.len && is_name_byte((unsigned char)text.ptr[end]))
                        end++;
        }
        if (!end || end > HELLO_NAME_MAX || (end < text.len && text.ptr[end] != ':'))
                return false;
        for (size_t i = end + 1; i < text.len; i++)
                if (!is_ascii_digit((unsigned char)text.ptr[i]))
                        return false;
        *ret = str_take(text, end);
        return true;
}

/* Takes a host, which must be the one that was there before, if any. */
static bool found_host(struct str text, struct str *host) {
        struct str found;

        if (!read_host(text, &found) || (host->len && !str_eq_nocase(found, *host)))
                return false;
        *host = found;
        return true;
}

/* "http://user@host:port/path" */
static bool read_target(struct str target, struct str *host) {
        size_t end;

        if (!target.len || target.ptr[0] == '/' || str_is(target, "*"))
                return true;
        end = str_find(target, ':');
        if (!str_starts(str_skip(target, end), STR("://")))
                return false;
        target = str_skip(target, end + 3);
        for (end = 0; end < target.len && target.ptr[end] != '/' && target.ptr[end] != '?' && target.ptr[end] != '#';)
                end++;
        return found_host(str_take(target, end), host);
}

/* The lines of the head, up to the empty one. */
static enum first_words read_fields(struct str rest, struct str *host) {
        bool seen = false;

        for (;;) {
                size_t end = str_find(rest, '\n'), colon;
                struct str line = str_take(rest, end);

                if (end == rest.len)
                        return FIRST_MORE;
                rest = str_skip(rest, end + 1);
                if (line.len && line.ptr[line.len - 1] == '\r')
                        line.len--;
                if (!line.len)
                        return host->len ? FIRST_NAME : FIRST_NO_NAME;
                colon = str_find(line, ':');
                if (line.ptr[0] == ' ' || line.ptr[0] == '\t' || colon == line.len || memchr(line.ptr, '\r', line.len) ||
                    memchr(line.ptr, '\0', line.len))
                        return FIRST_BAD;
                if (!str_eq_nocase(str_trim(str_take(line, colon)), STR("host")))
                        continue;
                if (seen || colon != 4 || !found_host(str_trim(str_skip(line, colon + 1)), host))
                        return FIRST_BAD;
                seen = true;
        }
}

enum first_words request_read(const uint8_t *bytes, size_t len, char ret_name[static HELLO_NAME_MAX + 1]) {
        struct str all = str_from((const char *)bytes, len), rest, host = {};
        struct line line;
        enum first_words found;

        while (all.len && (all.ptr[0] == '\r' || all.ptr[0] == '\n')) /* as servers do */
                all = str_skip(all, 1);
        if (!all.len)
                return len < REQUEST_HEAD_MAX ? FIRST_MORE : FIRST_BAD;
        found = read_line(all, &line, &rest);
        if (found != FIRST_NAME)
                return found;
        if (str_is(line.method, "CONNECT") || !read_target(line.target, &host))
                return FIRST_BAD;
        found = read_fields(rest, &host);
        if (found == FIRST_MORE && len >= REQUEST_HEAD_MAX)
                return FIRST_BAD;
        if (found == FIRST_NAME) {
                memcpy(ret_name, host.ptr, host.len);
                ret_name[host.len] = '\0';
        }
        return found;
}
