/*
 * A network namespace with only localhost. Creating one takes about as long as all mounts of a sandbox together, so a helper
 * process does it in parallel.
 */
#ifndef BAILEY_LAUNCH_NETWORK_H
#define BAILEY_LAUNCH_NETWORK_H

#include <net/if.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "base/err.h"

/* Sets up localhost in the new network namespace of the caller. */
int network_raise(struct err *err);

enum { NETWORK_STACK = 8 << 10 };

struct network {
        pid_t maker;      /* it shares the memory of its parent; -1: none */
        atomic_int state; /* enum state in network.c */
        int why;          /* the errno of a failure */
        struct ifreq loopback;
        _Alignas(16) unsigned char stack[NETWORK_STACK];
};

/* Starts creating one. `network` must not move until the end. */
void network_begin(struct network *network);

/* Enters the new network namespace; if it could not be created, this process tries it. The helper is killed; the caller has to
 * wait for it. */
int network_enter(struct network *network, struct err *err);

#endif
