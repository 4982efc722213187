#include "policy/hosts.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "policy/addresses.h"
#include "policy/idna.h"

/* ---- addresses ---- */

static void host_set_text(struct host *host, struct str text) {
        host->len = (uint16_t)text.len;
        for (size_t i = 0; i < text.len; i++)
                host->text[i] = (char)ascii_lower((unsigned char)text.ptr[i]);
        host->text[text.len] = '\0';
}

static int digit_value(unsigned char c) {
        if (is_ascii_digit(c))
                return c - '0';
        c = ascii_lower(c);
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static bool starts_hex(struct str s) {
        return s.len > 2 && s.ptr[0] == '0' && ascii_lower((unsigned char)s.ptr[1]) == 'x';
}

/* Decimal, 0octal or 0xhexadecimal, below 2^32. */
static bool number_read(struct str s, uint64_t *ret) {
        unsigned base = starts_hex(s) ? 16 : s.len > 1 && s.ptr[0] == '0' ? 8 : 10;
        uint64_t number = 0;

        if (s.len == 0)
                return false;
        for (size_t i = base == 16 ? 2 : 0; i < s.len; i++) {
                unsigned digit = (unsigned)digit_value((unsigned char)s.ptr[i]);

                number = number * base + digit;
                if (digit >= base || number > UINT32_MAX)
                        return false;
        }
        *ret = number;
        return true;
}

/* A name whose last part is a number is an address, or nothing. */
static bool ends_in_number(struct str name) {
        size_t start = name.len;
        uint64_t number;
        struct str last;

        while (start > 0 && name.ptr[start - 1] != '.')
                start--;
        last = str_skip(name, start);
        if (starts_hex(last))
                return number_read(last, &number);
        for (size_t i = 0; i < last.len; i++)
                if (!is_ascii_digit((unsigned char)last.ptr[i]))
                        return false;
        return last.len > 0;
}

/* As inet_aton(): up to four numbers, the last of which fills all that is left. */
static int ipv4_read(struct str text, struct host *ret) {
        uint64_t part, value = 0;
        char dotted[INET_ADDRSTRLEN];
        struct str rest = text;
        unsigned parts = 0;

        for (;;) {
                size_t dot = str_find(rest, '.');
                bool last = dot == rest.len;

                if (++parts > 4 || !number_read(str_take(rest, dot), &part))
                        return -1;
                if (last)
                        break;
                if (part > 255)
                        return -1;
                value = value << 8 | part;
                rest = str_skip(rest, dot + 1);
        }
        if (part >= UINT64_C(1) << 8 * (5 - parts))
                return -1;
        value = value << 8 * (5 - parts) | part;
        for (int i = 0; i < 4; i++)
                ret->address[i] = (uint8_t)(value >> (24 - 8 * i));
        snprintf(dotted, sizeof(dotted), "%u.%u.%u.%u", ret->address[0], ret->address[1], ret->address[2], ret->address[3]);
        ret->kind = HOST_IPV4;
        host_set_text(ret, str_z(dotted));
        return 0;
}

static int ipv6_read(struct str text, struct host *ret) {
        struct host host = { .kind = HOST_IPV6, .ascii = true };
        char written[INET6_ADDRSTRLEN];

        if (text.len == 0 || text.len >= sizeof(written) || memchr(text.ptr, '\0', text.len))
                return -1;
        memcpy(written, text.ptr, text.len);
        written[text.len] = '\0';
        if (inet_pton(AF_INET6, written, host.address) != 1)
                return -1;
        if (address_is_ipv4(host.address)) {
                host.kind = HOST_IPV4;
                memmove(host.address, host.address + ADDRESS_IPV4_AT, 4);
                memset(host.address + 4, 0, sizeof(host.address) - 4);
        }
        if (!inet_ntop(host.kind == HOST_IPV4 ? AF_INET : AF_INET6, host.address, written, sizeof(written)))
                return -1;
        host_set_text(&host, str_z(written));
        *ret = host;
        return 0;
}

/* ---- names ---- */

static bool label_valid(struct str label) {
        if (label.len == 0 || label.len > HOST_LABEL_MAX || label.ptr[0] == '-' || label.ptr[label.len - 1] == '-')
                return false;
        for (size_t i = 0; i < label.len; i++) {
                unsigned char c = (unsigned char)label.ptr[i];

                if (!is_ascii_alnum(c) && c != '-' && c != '_' && c < 0x80)
                        return false;
        }
        return true;
}

static bool name_valid(struct str name) {
        struct str rest = name;

        if (name.len > HOST_MAX)
                return false;
        for (;;) {
                size_t dot = str_find(rest, '.');

                if (!label_valid(str_take(rest, dot)))
                        return false;
                if (dot == rest.len)
                        return true;
                rest = str_skip(rest, dot + 1);
        }
}

static bool name_ascii(struct str name) {
        for (size_t i = 0; i < name.len; i++)
                if ((unsigned char)name.ptr[i] >= 0x80)
                        return false;
        return true;
}

static int name_read(struct str name, struct host *ret) {
        if (name.len > 1 && name.ptr[name.len - 1] == '.')
                name.len--;
        if (ends_in_number(name))
                return ipv4_read(name, ret);
        if (!name_valid(name))
                return -1;
        ret->kind = HOST_NAME;
        ret->ascii = name_ascii(name);
        host_set_text(ret, name);
        return 0;
}

/* A name or an address, without a port. */
static int host_read(struct str text, struct host *ret) {
        struct host host = { .ascii = true };

        if (text.len > 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']')
                return ipv6_read(str_take(str_skip(text, 1), text.len - 2), ret);
        if (name_read(text, &host) < 0)
                return -1;
        *ret = host;
        return 0;
}

/* ---- URLs ---- */

/* What some programs cut out, some turn into something else, and some stop at. */
static bool has_odd_byte(struct str s) {
        for (size_t i = 0; i < s.len; i++)
                if ((unsigned char)s.ptr[i] <= ' ' || s.ptr[i] == 0x7f || s.ptr[i] == '\\')
                        return true;
        return false;
}

/* Index of the first of these bytes, or s.len. */
static size_t find_any(struct str s, const char *bytes) {
        size_t i = 0;

        while (i < s.len && !(s.ptr[i] && strchr(bytes, s.ptr[i])))
                i++;
        return i;
}

bool host_is_loopback(const struct host *host) {
        static const uint8_t ipv6_loopback[16] = { [15] = 1 }, ipv4_any[4];

        if (host->kind == HOST_IPV4)
                return host->address[0] == 127 || memcmp(host->address, ipv4_any, 4) == 0;
        if (host->kind == HOST_IPV6)
                return memcmp(host->address, ipv6_loopback, 16) == 0;
        return str_is(host_text(host), "localhost") || str_ends(host_text(host), STR(".localhost"));
}

struct str url_scheme(struct str url) {
        struct str scheme = str_take(url, str_find(url, ':'));

        if (!str_starts(str_skip(url, scheme.len), STR("://")) || scheme.len == 0 ||
            !is_ascii_alpha((unsigned char)scheme.ptr[0]))
                return STR("");
        for (size_t i = 0; i < scheme.len; i++)
                if (!is_ascii_alnum((unsigned char)scheme.ptr[i]) && find_any(str_skip(scheme, i), "+-.") != 0)
                        return STR("");
        return scheme;
}

/* Cuts ":port" off. Without a scheme a colon with nothing behind it is no port: http:/evil.com. */
static int port_cut(struct str *authority, bool scheme, uint16_t *ret) {
        size_t end = authority->len, colon = end;
        unsigned port = 0;

        while (colon > 0 && is_ascii_digit((unsigned char)authority->ptr[colon - 1]))
                colon--;
        if (colon == 0 || authority->ptr[colon - 1] != ':') {
                *ret = 0;
                return 0;
        }
        if ((colon == end && !scheme) || end - colon > 5)
                return -1;
        for (size_t i = colon; i < end; i++)
                port = port * 10 + (unsigned)(authority->ptr[i] - '0');
        if (port > UINT16_MAX)
                return -1;
        *authority = str_take(*authority, colon - 1);
        *ret = (uint16_t)port;
        return 0;
}

/* Cuts "user:password@" off; two @ are read differently by different programs. */
static int user_cut(struct str *authority) {
        size_t at = str_find(*authority, '@');

        if (at == authority->len)
                return 0;
        *authority = str_skip(*authority, at + 1);
        return str_find(*authority, '@') == authority->len ? 0 : -1;
}

/* "?..." or "#..." right behind the host, with an @ in it: who looks for the slash first goes somewhere else. */
static bool tail_misleads(struct str tail) {
        return tail.len && tail.ptr[0] != '/' && find_any(tail, "@") < find_any(tail, "/");
}

int host_from_url(struct str url, struct host *ret) {
        struct str scheme = url_scheme(url), rest = url, authority;
        struct host host;
        uint16_t port;

        if (scheme.len)
                rest = str_skip(url, scheme.len + 3);
        else if (str_starts(url, STR("//")))
                rest = str_skip(url, 2);
        else if (ipv6_read(url, ret) == 0) /* ::1; its colons start no port */
                return 0;
        authority = str_take(rest, find_any(rest, "/?#"));
        if (has_odd_byte(authority) || tail_misleads(str_skip(rest, authority.len)) || user_cut(&authority) < 0 ||
            port_cut(&authority, scheme.len > 0, &port) < 0 || host_read(authority, &host) < 0)
                return -1;
        host.port = port;
        *ret = host;
        return 0;
}

/* ---- lists ---- */

static struct str wildcard_rest(struct str pattern) {
        struct str rest = str_starts(pattern, STR("*.")) ? str_skip(pattern, 2) : STR("");

        return rest.len > 1 && rest.ptr[rest.len - 1] == '.' ? str_take(rest, rest.len - 1) : rest;
}

static int pattern_host(struct str pattern, struct host *ret) {
        return ipv6_read(pattern, ret) == 0 ? 0 : host_read(pattern, ret);
}

bool host_pattern_valid(struct str pattern) {
        struct str rest = wildcard_rest(pattern);
        struct host host;

        if (str_is(pattern, "*"))
                return true;
        if (rest.len)
                return name_valid(rest) && !ends_in_number(rest);
        return pattern_host(pattern, &host) == 0;
}

static bool wildcard_matches(struct str rest, struct str name) {
        if (name.len < rest.len || !str_eq_nocase(str_skip(name, name.len - rest.len), rest))
                return false;
        return name.len == rest.len || name.ptr[name.len - rest.len - 1] == '.';
}

bool host_pattern_may_be_address(struct str pattern) {
        return pattern.len && (is_ascii_digit((unsigned char)pattern.ptr[0]) || memchr(pattern.ptr, ':', pattern.len));
}

/* One of them as people write it, and the other as DNS has it. */
static bool scripts_match(struct str pattern, const struct host *host, bool wildcard) {
        char room[2][IDNA_MAX];
        struct str wide, name;

        if (name_ascii(pattern) == host->ascii)
                return false;
        wide = idna_read(pattern, room[0]);
        name = idna_read(host_text(host), room[1]);
        return wildcard ? wildcard_matches(wide, name) : str_eq_nocase(wide, name);
}

static bool name_matches(struct str pattern, const struct host *host) {
        if (pattern.len > 1 && pattern.ptr[pattern.len - 1] == '.')
                pattern.len--;
        return str_eq_nocase(pattern, host_text(host)) || scripts_match(pattern, host, false);
}

/* The gateway asks for each of thousands of patterns: a name need not be read to be compared. */
bool host_matches(struct str pattern, const struct host *host) {
        struct str rest = wildcard_rest(pattern);
        struct host wanted;

        if (str_is(pattern, "*"))
                return true;
        if (rest.len)
                return host->kind == HOST_NAME && host->ascii &&
                       (wildcard_matches(rest, host_text(host)) || scripts_match(rest, host, true));
        if (host->kind == HOST_NAME)
                return name_matches(pattern, host);
        return host_pattern_may_be_address(pattern) && pattern_host(pattern, &wanted) == 0 && wanted.kind == host->kind &&
               str_eq(host_text(&wanted), host_text(host));
}

bool host_list_has(struct str_list patterns, const struct host *host) {
        for (size_t i = 0; i < patterns.count; i++)
                if (host_matches(patterns.items[i], host))
                        return true;
        return false;
}

static bool list_names(struct str_list patterns, const struct host *host) {
        for (size_t i = 0; i < patterns.count; i++)
                if (!str_is(patterns.items[i], "*") && host_matches(patterns.items[i], host))
                        return true;
        return false;
}

bool host_list_allows(struct str_list allowlist, struct str_list denylist, const struct host *host) {
        if (host_list_has(denylist, host))
                return false;
        return host->ascii || denylist.count == 0 ? host_list_has(allowlist, host) : list_names(allowlist, host);
}
