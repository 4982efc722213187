#include "policy/upstream.h"

#include <string.h>

#include "policy/egress.h"
#include "policy/hosts.h"

enum { PORT_DEFAULT = 80 };

/* ---- URLs ---- */

static int hex_value(unsigned char c) {
        c = ascii_lower(c);
        return is_ascii_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What a password may be: everything that can stand in one line. Returns its length, or -1. */
static int decode(struct str text, char *out, size_t size) {
        size_t len = 0;

        for (size_t i = 0; i < text.len; i++) {
                int c = (unsigned char)text.ptr[i];

                if (c == '%') {
                        int high = i + 2 < text.len ? hex_value((unsigned char)text.ptr[i + 1]) : -1;
                        int low = i + 2 < text.len ? hex_value((unsigned char)text.ptr[i + 2]) : -1;

                        if (high < 0 || low < 0)
                                return -1;
                        c = high << 4 | low;
                        i += 2;
                }
                if (c < ' ' || c == 0x7f || len == size)
                        return -1;
                out[len++] = (char)c;
        }
        return (int)len;
}

/* "user:password". A colon in the user would make another user of it. */
static int read_login(struct str text, struct upstream_place *ret) {
        size_t colon = str_find(text, ':');
        int user = decode(str_take(text, colon), ret->login, sizeof(ret->login) - 1), password;

        if (user < 0 || memchr(ret->login, ':', (size_t)user))
                return -1;
        ret->login[user] = ':';
        password = decode(str_skip(text, colon + 1), ret->login + user + 1, sizeof(ret->login) - (size_t)user - 1);
        if (password < 0)
                return -1;
        ret->login_len = (size_t)user + 1 + (size_t)password;
        return 0;
}

static int read_place(struct str text, struct upstream_place *ret) {
        bool bracket = text.len && text.ptr[0] == '[';
        size_t end = bracket ? str_find(text, ']') + 1 : str_find(text, ':');
        struct str port = str_skip(text, end);
        struct host host;

        ret->host = str_take(text, end);
        ret->port = PORT_DEFAULT;
        if (port.len && (port.ptr[0] != ':' || port_read(str_skip(port, 1), &ret->port) < 0))
                return -1;
        if (host_from_url(ret->host, &host) < 0 || !host.ascii)
                return -1;
        if (bracket)
                ret->host = str_from(ret->host.ptr + 1, ret->host.len - 2);
        return 0;
}

int upstream_read(struct str url, struct upstream_place *ret) {
        static const struct str scheme = STR("http://");
        struct upstream_place place = {};
        size_t at;

        if (url.len > UPSTREAM_URL_MAX)
                return -1;
        if (str_eq_nocase(str_take(url, scheme.len), scheme))
                url = str_skip(url, scheme.len);
        if (url.len && url.ptr[url.len - 1] == '/')
                url.len--;
        if (str_find(url, '/') < url.len) /* a path, or another scheme */
                return -1;
        for (at = url.len; at > 0 && url.ptr[at - 1] != '@';)
                at--;
        if (at && read_login(str_take(url, at - 1), &place) < 0)
                return -1;
        if (read_place(str_skip(url, at), &place) < 0)
                return -1;
        *ret = place;
        return 0;
}

/* ---- exceptions ---- */

static bool is_separator(char c) {
        return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* "*", "name", ".name", "*.name": the name and all below it; with a port, only that. */
static bool entry_excepts(struct str entry, const struct host *host, uint16_t port) {
        size_t colon = str_find(entry, ':');
        struct str name = str_take(entry, colon), text = host_text(host);
        uint16_t only;

        if (str_is(entry, "*"))
                return true;
        if (colon < entry.len && (port_read(str_skip(entry, colon + 1), &only) < 0 || only != port))
                return false;
        name = str_skip(name, str_starts(name, STR("*.")) ? 2 : str_starts(name, STR(".")));
        if (name.len && name.ptr[name.len - 1] == '.')
                name.len--;
        if (!name.len || name.len > text.len || !str_eq_nocase(str_skip(text, text.len - name.len), name))
                return false;
        return name.len == text.len || text.ptr[text.len - name.len - 1] == '.';
}

bool upstream_excepts(struct str except, const struct host *host, uint16_t port) {
        while (except.len) {
                size_t end = 0;

                while (end < except.len && !is_separator(except.ptr[end]))
                        end++;
                if (entry_excepts(str_take(except, end), host, port))
                        return true;
                except = str_skip(except, end + 1);
        }
        return false;
}

/* ---- the choice ---- */

static struct str variable(const char *const *environment, const char *name) {
        size_t len = strlen(name);

        for (; *environment; environment++)
                if (strncmp(*environment, name, len) == 0 && (*environment)[len] == '=')
                        return str_z(*environment + len + 1);
        return (struct str){};
}

static void choose_variable(const char *const *environment, struct upstream *ret) {
        /* in the order of how well they fit what is asked of it, which is CONNECT; HTTP_PROXY may come from a request: curl */
        static const char *const names[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy" };
        struct upstream_place place;

        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                struct str url = variable(environment, names[i]);

                if (url.len && upstream_read(url, &place) == 0) {
                        ret->url = url;
                        ret->unusable = NULL;
                        return;
                }
                if (url.len && !ret->unusable)
                        ret->unusable = names[i];
        }
}

void upstream_choose(struct str setting, const char *const *environment, struct upstream *ret) {
        *ret = (struct upstream){};
        if (str_is(setting, "none"))
                return;
        if (str_is(setting, "auto"))
                choose_variable(environment, ret);
        else
                ret->url = setting;
        ret->except = variable(environment, "no_proxy");
        if (!ret->except.len)
                ret->except = variable(environment, "NO_PROXY");
}

/* ---- the setting ---- */

/* In a config a URL is written in full. */
bool upstream_setting_valid(struct str text) {
        struct upstream_place place;

        return str_is(text, "auto") || str_is(text, "none") ||
               (str_starts(text, STR("http://")) && upstream_read(text, &place) == 0);
}

void upstream_setting_show(struct str text, struct buf *out) {
        size_t at = text.len;

        while (at > 0 && text.ptr[at - 1] != '@')
                at--;
        if (at)
                buf_append(out, STR("http://(hidden)@"));
        buf_append(out, str_skip(text, at));
}
