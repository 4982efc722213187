/*
 * A network namespace, and a server in it that answers what bench/net.h says.
 */
#ifndef BAILEY_BENCH_NET_PLACE_H
#define BAILEY_BENCH_NET_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "bench/bench.h"

#define NET_ADDRESS "93.184.216.34"
#define NET_PORT "8080"
#define NET_PLACE "93.184.216.34:8080" /* both */

/* Enters it, with a limit of files for many connections. Returns false where there can be none. */
bool net_enter(void);

/* Ends with this process. */
pid_t net_start_server(void);

/* Of net_slow.c. */
measure measure_net_slow;

#endif
