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
#include "sandbox/launch.h"

/* The address of the sandbox besides 127.0.0.1. It leads nowhere: it is of the network for benchmarks (RFC 2544), which is
 * never routed. But where there is no address besides 127.0.0.1, the C library does not look up even localhost for programs
 * that ask for addresses of this host's families only (AI_ADDRCONFIG). */
enum { NETWORK_ADDRESS = (int)0xc6120001 }; /* 198.18.0.1 */

/* Sets up localhost in the new network namespace of the caller. */
int network_raise(struct err *err);

/* Only the address, where something else has set up localhost. */
int network_add_address(struct err *err);

enum { NETWORK_STACK = 8 << 10 };

struct network {
        pid_t maker;      /* it shares the memory of its parent; -1: none */
        atomic_int state; /* enum state in network.c */
        int why;          /* the errno of a failure */
        struct ifreq loopback, address;
        _Alignas(16) unsigned char stack[NETWORK_STACK];
};

/* Starts creating one. `network` must not move until the end. */
void network_begin(struct network *network);

/* Enters the new network namespace; if it could not be created, this process tries it. The helper is killed; the caller has to
 * wait for it. */
int network_enter(struct network *network, struct err *err);

/*
 * Sets up the network of a sandbox that a wrapper has made, from outside. For an ordinary user, bubblewrap makes a second user
 * namespace in the one that the network belongs to, so that no process inside may change the network. A process outside of the
 * same user may: it enters the first one.
 */

/* Outside, while the wrapper runs: waits for the question, sets up the network, and answers. `control` is pid 1's end of the
 * control socket, over which sockets go. Returns when there is nothing more to do, also without a question. Allocates nothing.
 */
void network_helper_serve(int socket, int control, const struct launch_egress *egress);

/* Inside, before the command starts: has the network of this process set up. */
int network_helper_ask(int socket, struct err *err);

#endif
