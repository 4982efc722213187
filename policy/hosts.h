/*
 * Which host a URL leads to, and whether a list names it. For lists that allow and lists that deny: a text that two
 * programs could read in two ways leads nowhere we know, and the caller must treat it so. Pure; resolves no names.
 */
#ifndef BAILEY_POLICY_HOSTS_H
#define BAILEY_POLICY_HOSTS_H

#include "policy/policy.h"

enum {
        HOST_MAX = 253, /* bytes of a name, as DNS has it */
        HOST_LABEL_MAX = 63,
};

enum host_kind {
        HOST_NAME,
        HOST_IPV4, /* also when written as IPv6: ::ffff:127.0.0.1 */
        HOST_IPV6,
};

struct host {
        enum host_kind kind;
        bool ascii;              /* a name that is not may be another one once a program has translated it */
        uint16_t port;           /* 0: none given */
        uint16_t len;            /* of text */
        uint8_t address[16];     /* 4 of them for HOST_IPV4; 0 for a name */
        char text[HOST_MAX + 1]; /* lower case, no dot at the end; an address as inet_ntop() writes it */
};

static inline struct str host_text(const struct host *host) {
        return str_from(host->text, host->len);
}

/*
 * "https://user@GitHub.com:443/x", "//github.com", "github.com/x", "127.1:80", "[::1]", "::1". An IPv4 address may be
 * in any notation of inet_aton(): 2130706433, 0x7f.1, 0177.0.0.1.
 *
 * -1 (`ret` is left alone) when there is no host (file:///x), or none that is certain: backslashes, spaces, control
 * characters, NUL, percent signs or curl's {a,b} and [1-9] in it, several @, http:/x, names that DNS would not have.
 * What comes after the host does not matter.
 */
int host_from_url(struct str url, struct host *ret);

/* This machine, by whatever name: a policy that allows localhost allows it. */
bool host_is_loopback(const struct host *host);

/* "https" for https://x; empty without "://" */
struct str url_scheme(struct str url);

/*
 * A pattern is a name, an address, "*.name", which stands for the name itself too, or "*" for all. No port, no path.
 * Case does not matter (but of letters that are not ASCII), nor whether a name in another script is written as people do or
 * as xn--... of DNS. "*.name" matches no address, and no name that is not ASCII: of evil.com/.x.com with a full-width slash,
 * some programs make evil.com.
 */
bool host_pattern_valid(struct str pattern);
bool host_matches(struct str pattern, const struct host *host);
bool host_pattern_may_be_address(struct str pattern); /* else it is none; quick */
bool host_list_has(struct str_list patterns, const struct host *host);

/*
 * The denylist wins. A name that is not ASCII may be a denied one in disguise (full-width letters), so where there is a
 * denylist it must be in the allowlist as it is written; "*" does not do.
 */
bool host_list_allows(struct str_list allowlist, struct str_list denylist, const struct host *host);

#endif
