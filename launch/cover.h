/*
 * Restores covers: read-only mounts over protected files. The kernel detaches a cover, in all mount namespaces, when a file is
 * renamed over the covered one on the host; a running command could then write the new file. The kernel notifies pid 1 inside,
 * which is no longer allowed to mount; it passes its mount namespace to the supervisor (launch/control.h).
 */
#ifndef BAILEY_LAUNCH_COVER_H
#define BAILEY_LAUNCH_COVER_H

#include "base/err.h"
#include "sandbox/launch.h"

/* Returns true if this launch has covers: mounts of host paths inside writable directories. */
bool cover_needed(const struct launch *launch);

/* Returns an inotify fd that is readable when a file that is to be covered is written, however it was opened; -1: not
 * available. Writes through a memory mapping are not reported. */
int cover_watch(const struct launch *launch);

/*
 * Starts a process that enters the mount namespace and covers existing files that are not covered. When `ret_pidfd` is
 * readable, call cover_end(). The process allocates nothing, so it may be started in any program.
 */
int cover_start(const struct launch *launch, int namespace, int *ret_pidfd, struct err *err);

/* Waits for it. Fails if an existing file could not be covered. */
int cover_end(int pidfd, struct err *err);

/* Returns true if a process has a covered file open for writing, or mapped: the process outside that has just replaced it, or
 * the command, which opened it before it was covered. Writes to a mapping are not reported. */
bool cover_is_written(const struct launch *launch);

#endif
