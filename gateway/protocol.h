/*
 * The messages between the engine and the gateway: one record a message, in the byte order of the machine, as both ends are one
 * program. Events are a struct gateway_event as it is.
 */
#ifndef BAILEY_GATEWAY_PROTOCOL_H
#define BAILEY_GATEWAY_PROTOCOL_H

#include "gateway/gateway.h"

enum request_kind {
        REQUEST_ADD,
        REQUEST_LISTEN,
        REQUEST_CHANGE,
        REQUEST_PUBLISH,
        REQUEST_SOCKET,
        REQUEST_ASK,
        REQUEST_END,
        REQUEST_PROXY,
        REQUEST_TLS, /* the socket of bailey-tls; or no file, and a text that says why */
};

/* Followed by `egress_len` bytes. Files come in the order of `items`. */
struct request {
        uint32_t kind, item_count, egress_len;
        uint16_t host_port, inside_port;
        uint64_t command;
        uint64_t target; /* REQUEST_LISTEN: whose ports these are; 0: the host's, or none */
        struct {
                uint16_t kind, port;
        } items[GATEWAY_ITEMS_MAX];
};

enum { REQUEST_EGRESS_MAX = 128 << 10 }; /* EGRESS_BYTES_MAX */

#endif
