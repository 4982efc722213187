/*
 * Removes containers whose owner is gone, while a command runs. Also starts a client, for this and for container.c.
 */
#ifndef BAILEY_LAUNCH_CONTAINER_SWEEP_H
#define BAILEY_LAUNCH_CONTAINER_SWEEP_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/launch.h"

/* In a session of its own. An fd of -1 is /dev/null. -1 and errno when it could not be started. Allocates nothing. */
pid_t client_start(const char *const *argv, const char *const *envp, int in, int out, int err);

/* Waits for it, for a short time. Returns true if it exited with 0; false for a pid of -1. */
bool client_wait(pid_t pid);

/* Closes the command's files in another process: their reader waits until the last copy is closed. */
void client_let_go(void);

/* Sweeps in a separate process. Returns its pid; 0: none was needed. */
pid_t container_sweep(const struct launch_container *container);

#endif
