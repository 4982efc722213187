/*
 * Removes a container, in a process that nobody waits for and that outlives this one: an engine may need long for it, or be
 * down just now.
 */
#ifndef BAILEY_LAUNCH_CONTAINER_REMOVE_H
#define BAILEY_LAUNCH_CONTAINER_REMOVE_H

#include <stdbool.h>

/* Does the text of an engine say that there is no such container? */
bool container_is_missing(const char *said);

/* `argv` and `envp`: of the client that removes it. It is tried for some minutes, until it is gone; `may_come`: also when it is
 * not there, as whoever was making it may not have been stopped in time. Allocates nothing. */
void container_remove_later(const char *const *argv, const char *const *envp, bool may_come);

#endif
