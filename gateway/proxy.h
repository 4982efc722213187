/*
 * If this machine reaches others only through a proxy: hosts are dialled with CONNECT by name, which the proxy
 * resolves. The proxy determines their addresses then; names with special addresses and hosts that are given by
 * their address are not sent to it.
 *
 * A name that cannot be resolved here gets a placeholder address from 198.19.0.0/16, in this sandbox only.
 */
#ifndef BAILEY_GATEWAY_PROXY_H
#define BAILEY_GATEWAY_PROXY_H

#include "gateway/connection.h"
#include "policy/upstream.h"

struct proxy {
        char *bytes; /* of URL and exceptions */
        struct str except;
        struct upstream_place place;
        char header[1024]; /* of each request */
        struct host host;
        size_t count;
        uint8_t addresses[NAMES_ADDRESSES_MAX][16];
        int64_t until; /* when it has to be looked up again */
};

/* What gateway_use_proxy() sends. */
int proxy_set(struct gateway *gateway, struct str bytes, struct err *err);

/* Port 0: some port. */
bool proxy_is_for(const struct gateway *gateway, const struct host *host, uint16_t port);

/* The addresses that lead to a name which is dialled through the proxy, and to no other. NULL without memory. */
const struct name *proxy_hand_out(struct command *command, const struct host *host, const struct vetted *vetted, int64_t until);
bool proxy_made(const uint8_t address[16]); /* it may be one that was made up */

/* What the client says first decides how the proxy is asked. */
bool proxy_wants_words(const struct gateway *gateway, const struct connection *connection);

/* Dials the proxy, for the port of the connection at `host`. */
void proxy_dial(struct gateway *gateway, struct connection *connection, const char *host);
bool proxy_still_allowed(const struct connection *connection); /* that host is, whatever its client has named since */

/* The proxy has accepted the connection. */
void proxy_connected(struct gateway *gateway, struct connection *connection);
void proxy_event(struct gateway *gateway, struct connection *connection, const struct watch *watch, uint32_t events);
void proxy_failed(struct gateway *gateway, struct connection *connection, const char *text);

#endif
