/*
 * The proxy that this machine needs to reach others, and which hosts are reached without it: sandbox.network.proxy, and the
 * variables that programs take it from (https_proxy, no_proxy, ...). Pure; resolves no names.
 */
#ifndef BAILEY_POLICY_UPSTREAM_H
#define BAILEY_POLICY_UPSTREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct host; /* of policy/hosts.h; see policy/egress.h */

enum {
        UPSTREAM_URL_MAX = 2048,
        UPSTREAM_LOGIN_MAX = 512, /* user:password */
        UPSTREAM_EXCEPT_MAX = 64 << 10,
};

/* What was chosen; the text of somebody else. */
struct upstream {
        struct str url;       /* of an HTTP proxy; empty: none */
        struct str except;    /* no_proxy */
        const char *unusable; /* the variable that names a proxy of another kind, or none at all; NULL: none does */
};

/* `setting` is sandbox.network.proxy: auto, none or a URL. With auto the first variable that can be used counts. */
void upstream_choose(struct str setting, const char *const *environment, struct upstream *ret);

/* A URL in its parts. */
struct upstream_place {
        struct str host; /* a name or an address, without brackets; refers to the URL */
        uint16_t port;
        size_t login_len; /* 0: none */
        char login[UPSTREAM_LOGIN_MAX];
};

/* "http://user:password@host:3128/", "host:3128"; what is encoded with % in user and password is decoded. -1: anything else. */
int upstream_read(struct str url, struct upstream_place *ret);

/* Is the host reached without the proxy? Port 0: whatever its port is. Addresses and networks in the list are for hosts that
 * are given by their address, which no proxy is asked for anyway. */
bool upstream_excepts(struct str except, const struct host *host, uint16_t port);

/* A value of sandbox.network.proxy. */
bool upstream_setting_valid(struct str text);
void upstream_setting_show(struct str text, struct buf *out); /* without user and password */

#endif
