/*
 * A network with nothing but localhost. To make one takes the kernel about as long as all mounts of a sandbox together, so that
 * another process does it meanwhile.
 */
#ifndef BAILEY_LAUNCH_NETWORK_H
#define BAILEY_LAUNCH_NETWORK_H

#include <net/if.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "base/err.h"

/* That of the caller, who is in a new one already. */
int network_raise(struct err *err);

enum { NETWORK_STACK = 8 << 10 };

struct network {
        pid_t maker;      /* it shares the memory of its parent; -1: there is none */
        atomic_int state; /* enum state in network.c */
        int why;          /* the errno of a failure */
        struct ifreq loopback;
        _Alignas(16) unsigned char stack[NETWORK_STACK];
};

/* Begins to make one. `network` has to stay where it is until the end. */
void network_begin(struct network *network);

/* It becomes the network of this process; where it could not be made, this process tries it. The maker is killed, and somebody
 * has to wait for it. */
int network_enter(struct network *network, struct err *err);

#endif
