/*
 * User and group mappings of a new user namespace: the identity mapping. Root maps every id of its own namespace, so that files
 * show their owners; an ordinary user can map only its own ids.
 */
#ifndef BAILEY_LAUNCH_IDENTITY_H
#define BAILEY_LAUNCH_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

int identity_map(pid_t pid, struct err *err);

/* Returns true if pid_max can be set for a single pid namespace. Before Linux 6.14, root would set that of the host. */
bool identity_limits_pids(void);

/* In the new user namespace, before /proc is replaced: limits its inotify instances to a part of what the user may have, so
 * that other processes of the user have some left. If /proc/sys cannot be written, as in most containers, there is no such
 * limit. With `pids`, the new pid namespace has at most that many processes and threads, also for root; at least 301, the
 * minimum of the kernel. */
void identity_limit(int64_t pids);

#endif
