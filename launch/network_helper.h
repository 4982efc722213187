/*
 * Sets up the network of a sandbox that a wrapper has made, from outside. For an ordinary user, bubblewrap makes a second user
 * namespace in the one that the network belongs to, so that no process inside may change the network. A process outside of the
 * same user may: it enters the first one.
 */
#ifndef BAILEY_LAUNCH_NETWORK_HELPER_H
#define BAILEY_LAUNCH_NETWORK_HELPER_H

#include "base/err.h"
#include "sandbox/launch.h"

/* Outside, while the wrapper runs: waits for the question, sets up the network, and answers. `control` is pid 1's end of the
 * control socket, over which sockets go. Returns when there is nothing more to do, also if nobody asks. Allocates nothing. */
void network_helper_serve(int socket, int control, const struct launch_egress *egress);

/* Inside, before the command starts: has the network of this process set up. */
int network_helper_ask(int socket, struct err *err);

#endif
