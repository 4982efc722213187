/*
 * Connections to the endpoints of credentials. The gateway accepts, limits, resolves, dials and records them as all others, and
 * then hands both ends to another process, which knows the secrets and speaks TLS: bailey-tls (tls/). These are the messages
 * between the two, on a SEQPACKET socket that the engine has made.
 */
#ifndef BAILEY_GATEWAY_HANDOVER_H
#define BAILEY_GATEWAY_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* To bailey-tls, with two files: the command's end, then the one outside. Neither has been read from. */
struct handover {
        uint64_t id;
        uint32_t credential; /* by its place in the policy */
        uint32_t reserved;
};

/* Back, when it is over. Both ends are shut down then. */
struct handover_report {
        uint64_t id, up, down; /* bytes between it and the command */
        char text[256];        /* why there was no answer of the host; empty: there was one. Printable ASCII */
};

struct gateway;
struct connection;
struct command;

/* One that the command has made, to the endpoint of that place. */
void handover_begin(struct gateway *gateway, struct connection *connection, uint32_t credential);

/* Its host is there. */
void handover_dialled(struct gateway *gateway, struct connection *connection);

/* Before its ends are closed here: they are open there, too. */
void handover_end(struct gateway *gateway, struct connection *connection);

/* bailey-tls runs: its socket; or it does not (-1), and why. */
void handover_set(struct gateway *gateway, int fd, const char *why);

/* Denied since. */
bool handover_still_allowed(const struct connection *connection);

#endif
