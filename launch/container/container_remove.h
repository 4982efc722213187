/*
 * Removes a container in a detached process that outlives this one: an engine may take long for it, or be temporarily down.
 */
#ifndef BAILEY_LAUNCH_CONTAINER_REMOVE_H
#define BAILEY_LAUNCH_CONTAINER_REMOVE_H

#include <stdbool.h>

/* Returns true if the message of an engine says that the container does not exist. */
bool container_is_missing(const char *said);

/* `argv` and `envp`: of the client that removes it. Retries for some minutes, until the container is gone; `may_come`: also if
 * it does not exist, because the process that was creating it may not have been stopped in time. Allocates nothing. */
void container_remove_later(const char *const *argv, const char *const *envp, bool may_come);

#endif
