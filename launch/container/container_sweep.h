/*
 * Containers that nobody looks after any more are removed while a command runs. And how a client is started, for this and for
 * container.c.
 */
#ifndef BAILEY_LAUNCH_CONTAINER_SWEEP_H
#define BAILEY_LAUNCH_CONTAINER_SWEEP_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/launch.h"

/* In a session of its own. An fd of -1 is /dev/null. -1 and errno when it could not be started. Allocates nothing. */
pid_t client_start(const char *const *argv, const char *const *envp, int in, int out, int err);

/* Not for long. True when it ended well; a pid of -1 did not. */
bool client_wait(pid_t pid);

/* For a process that is not the command's: who reads the command's files waits for the last one to close. */
void client_let_go(void);

/* In a process of its own, which is returned; 0 when there is none. */
pid_t container_sweep(const struct launch_container *container);

#endif
