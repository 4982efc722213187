/*
 * Runs a command in a container, with an engine's client. The container is ended even if bailey or the client is killed: this
 * is a separate process, which waits for that.
 */
#ifndef BAILEY_LAUNCH_CONTAINER_H
#define BAILEY_LAUNCH_CONTAINER_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/launch.h"

/* 0, 1 and 2 are the command's. Reports over `report_fd`; the other two: launch/control.h. Allocates nothing. */
_Noreturn void container_run(const struct launch_container *container, bool announce, int report_fd, int asked_fd,
                             int outside_fd);

/*
 * Removes a container in a detached process that outlives this one: an engine may take long for it, or be temporarily down.
 */

/* Returns true if the message of an engine says that the container does not exist. */
bool container_is_missing(const char *said);

/* `argv` and `envp`: of the client that removes it. Retries for some minutes, until the container is gone; `may_come`: also if
 * it does not exist, because the process that was creating it may not have been stopped in time. Allocates nothing. */
void container_remove_later(const char *const *argv, const char *const *envp, bool may_come);

/*
 * Removes containers whose owner is gone, while a command runs. Also starts a client.
 */

/* In a session of its own. An fd of -1 is /dev/null. -1 and errno when it could not be started. Allocates nothing. */
pid_t client_start(const char *const *argv, const char *const *envp, int in, int out, int err);

/* Sweeps in a separate process. Returns its pid; 0: none was needed. */
pid_t container_sweep(const struct launch_container *container);

#endif
