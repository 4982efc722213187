/*
 * Covers that are gone are put back. Whoever renames a file on the host takes away what is mounted over the one that was there
 * before, in all mount namespaces: the new file could be written by a command that runs. pid 1 inside, which the kernel tells
 * of it, has no right to mount any more; it hands its mount namespace to the process outside (launch/control.h).
 */
#ifndef BAILEY_LAUNCH_COVER_H
#define BAILEY_LAUNCH_COVER_H

#include "base/err.h"
#include "sandbox/launch.h"

/* Does this launch mount something of the host that lies in a place commands can write? */
bool cover_needed(const struct launch *launch);

/* An inotify that is readable when something writes to a file that is to be covered, in whichever way it was opened; -1: it
 * cannot be had. What is mapped into memory is not told. */
int cover_watch(const struct launch *launch);

/*
 * Starts a process that enters the mount namespace and covers what is there and not covered. `ret_pidfd` tells of its end,
 * after which cover_end() is due. It takes no memory, so that it may be started in any program.
 */
int cover_start(const struct launch *launch, int namespace, int *ret_pidfd, struct err *err);

/* Waits for it. Fails if something that is there could not be covered. */
int cover_end(int pidfd, struct err *err);

/* Somebody has a covered file open for writing, or mapped: the one outside who has just replaced it, or the command, which got
 * hold of it before it was covered. What is written to a mapping tells nobody. */
bool cover_is_written(const struct launch *launch);

#endif
