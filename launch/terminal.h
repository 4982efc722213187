/*
 * A terminal of the command's own: a pair that pid 1 of the sandbox makes, where there is one in the sandbox's own /dev/pts, so
 * that the command finds it at a path there, and no other terminal. The master goes to the supervisor (launch/control.h);
 * nothing inside keeps it. The command is the leader of a session (setsid()), whose controlling terminal it becomes.
 *
 * Allocates nothing.
 */
#ifndef BAILEY_LAUNCH_TERMINAL_H
#define BAILEY_LAUNCH_TERMINAL_H

#include "base/err.h"
#include "sandbox/launch.h"

/* The first byte of the message that brings the master. */
enum { TERMINAL_MESSAGE = 'T' };

/* Makes the pair, and sends its master. The slave stays open here as long as there is a sandbox, or the supervisor would take
 * a command that closes its own copies for one that has ended. */
int terminal_make(const struct launch_terminal *terminal, int control, int *ret_slave, struct err *err);

/* In the process that the command is to be, after setsid(): 0, 1 and 2 become the terminal. */
int terminal_enter(const struct launch_terminal *terminal, int slave, struct err *err);

#endif
