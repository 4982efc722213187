/*
 * The ports that the processes of another network namespace listen at, by a NETLINK_SOCK_DIAG socket that was made there. In
 * /proc/PID/net/tcp the same takes milliseconds: it goes through all connections of the machine.
 */
#ifndef BAILEY_LAUNCH_LISTENERS_H
#define BAILEY_LAUNCH_LISTENERS_H

#include <stddef.h>
#include <stdint.h>

/* TCP ports at which a connection to localhost arrives, each once, at most `max`. Does not wait; without an answer there are
 * none. */
size_t listeners_read(int diag, uint16_t *ret, size_t max);

#endif
