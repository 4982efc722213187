#include "policy/egress.h"

#include <stdio.h>

#include "policy/hosts.h"

/* ---- ports ---- */

int port_read(struct str text, uint16_t *ret) {
        unsigned port = 0;

        if (text.len == 0 || text.len > 5 || text.ptr[0] == '0')
                return -1;
        for (size_t i = 0; i < text.len; i++) {
                if (!is_ascii_digit((unsigned char)text.ptr[i]))
                        return -1;
                port = port * 10 + (unsigned)(text.ptr[i] - '0');
        }
        if (port > UINT16_MAX)
                return -1;
        *ret = (uint16_t)port;
        return 0;
}

size_t port_list_read(struct str_list list, uint16_t *ret, size_t max) {
        size_t count = 0;

        for (size_t i = 0; i < list.count && count < max; i++)
                count += port_read(list.items[i], &ret[count]) == 0;
        return count;
}

int published_port_read(struct str text, struct published_port *ret) {
        size_t colon = str_find(text, ':');
        struct published_port ports;

        if (port_read(str_take(text, colon), &ports.host) < 0)
                return -1;
        ports.inside = ports.host;
        if (colon < text.len && port_read(str_skip(text, colon + 1), &ports.inside) < 0)
                return -1;
        *ret = ports;
        return 0;
}

/* ---- hosts ---- */

static bool is_ascii(struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if ((unsigned char)text.ptr[i] <= ' ' || (unsigned char)text.ptr[i] >= 0x7f)
                        return false;
        return true;
}

/* Cuts ":443" or ":*" off. Colons of an IPv6 address without brackets start no port. */
static int rule_port(struct str *host, struct egress_rule *rule) {
        size_t end = host->len && host->ptr[0] == '[' ? str_find(*host, ']') + 1 : str_find(*host, ':');
        struct str port = str_skip(*host, end);

        if (end > host->len)
                return -1;
        if (port.len == 0 || str_find(str_skip(port, 1), ':') < port.len - 1)
                return 0;
        *host = str_take(*host, end);
        rule->any_port = str_is(port, ":*");
        return rule->any_port || (port.ptr[0] == ':' && port_read(str_skip(port, 1), &rule->port) == 0) ? 0 : -1;
}

int egress_rule_read(struct str text, struct egress_rule *ret) {
        struct egress_rule rule = { .pattern = text };

        if (!is_ascii(text) || rule_port(&rule.pattern, &rule) < 0 || !host_pattern_valid(rule.pattern))
                return -1;
        if (rule.pattern.ptr[0] == '[')
                rule.pattern = str_from(rule.pattern.ptr + 1, rule.pattern.len - 2);
        *ret = rule;
        return 0;
}

/* ---- credentials ---- */

enum { CREDENTIAL_HEADER_MAX = 128, PORT_HTTPS = 443 };

int credential_place(struct str text, struct egress_rule *ret) {
        struct egress_rule rule;
        struct host host;

        if (egress_rule_read(text, &rule) < 0 || rule.any_port || rule.pattern.ptr[0] == '*' ||
            host_from_url(rule.pattern, &host) < 0 || host.kind != HOST_NAME || !host.ascii || host_is_loopback(&host) ||
            host.len != rule.pattern.len)
                return -1;
        if (!rule.port)
                rule.port = PORT_HTTPS;
        *ret = rule;
        return 0;
}

bool credential_host_valid(struct str text) {
        struct egress_rule rule;

        return credential_place(text, &rule) == 0;
}

static bool is_of_framing(struct str name) {
        static const char *const names[] = { "host", "connection", "content-length", "transfer-encoding", "upgrade",
                                             "te",   "trailer",    "expect",         "keep-alive" };

        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
                if (str_eq_nocase(name, str_z(names[i])))
                        return true;
        return str_eq_nocase(str_take(name, 6), STR("proxy-"));
}

static bool is_visible(struct str text) {
        return text.len && is_ascii(text);
}

bool credential_header_valid(struct str text) {
        struct str name = str_take(text, str_find(text, ':')), scheme = str_skip(text, name.len);

        if (!name.len || text.len > CREDENTIAL_HEADER_MAX || is_of_framing(name))
                return false;
        for (size_t i = 0; i < name.len; i++)
                if (!is_ascii_alnum((unsigned char)name.ptr[i]) && name.ptr[i] != '-')
                        return false;
        return !scheme.len || (str_starts(scheme, STR(": ")) && is_visible(str_skip(scheme, 2)));
}

bool credential_user_valid(struct str text) {
        return is_visible(text) && text.len <= CREDENTIAL_HEADER_MAX && str_find(text, ':') == text.len;
}

int credential_path(struct str file, const char *home, char *ret, size_t size) {
        bool of_home = str_starts(file, STR("~/"));
        int len;

        if (of_home && (!home || home[0] != '/'))
                return -1;
        len = snprintf(ret, size, "%s%.*s", of_home ? home : "", (int)(file.len - of_home), file.ptr + of_home);
        return len > 0 && (size_t)len < size ? 0 : -1;
}

bool egress_host_valid(struct str text) {
        struct egress_rule rule;

        return text.len && text.ptr[0] == '@' ? preset_find(text) != NULL : egress_rule_read(text, &rule) == 0;
}
