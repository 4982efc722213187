/*
 * What bench/net.c serves and bench_net.c asks for: a request, at the start of each connection.
 */
#ifndef BAILEY_BENCH_NET_H
#define BAILEY_BENCH_NET_H

#include <stdint.h>

enum net_kind { NET_ECHO = 1, NET_GET, NET_PUT };

struct net_request {
        uint32_t kind;
        uint32_t unused;
        uint64_t bytes;
};

#endif
