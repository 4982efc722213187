/*
 * What the kernel has to know for launch/egress.h: that every address is local, and where new connections go.
 */
#ifndef BAILEY_LAUNCH_EGRESS_ROUTES_H
#define BAILEY_LAUNCH_EGRESS_ROUTES_H

#include <stdbool.h>

#include "base/err.h"

enum {
        EGRESS_DNS_PORT = 53,
        EGRESS_TRANSPARENT_PORT = 1, /* commands cannot bind it */
};

/* Makes all addresses of the network namespace local. It may have no IPv6. */
int egress_make_routes(bool *ret_ipv6, struct err *err);

/* Sends new TCP connections to a listener with IP_TRANSPARENT at EGRESS_TRANSPARENT_PORT, except those to port 53, to localhost
 * and to the sandbox's own addresses. -1 and errno: the kernel cannot do that, and nothing has changed. */
int egress_make_rules(bool ipv6);

#endif
