/*
 * User and group mappings of a new user namespace. Commands of root get a range of unused ids, and what is mounted for
 * them is mapped likewise (launch/mapped.h); where that is not possible, root maps every id of its own namespace onto itself,
 * so that files show their owners. An ordinary user can map only its own ids.
 */
#ifndef BAILEY_LAUNCH_IDENTITY_H
#define BAILEY_LAUNCH_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* With `base` (struct launch, id_base), ids from 0 on are those from there on. */
int identity_map(pid_t pid, uint32_t base, struct err *err);

/* In the process that was mapped with a base: becomes user 0 of its namespace, without groups other than its own. */
int identity_enter(struct err *err);

/* What a command is given as its input or output it may open again, by /dev/stdin or /dev/stderr. A pipe belongs to who has
 * made it; one of root becomes that of the command. Others are left alone, as the other end may open them again, too, and so
 * are pipes that have a name. */
void identity_give_pipe(int fd, uint32_t base);

/* Returns true if pid_max can be set for a single pid namespace. Before Linux 6.14, root would set that of the host. */
bool identity_limits_pids(void);

/* In the new user namespace, before /proc is replaced: limits its inotify instances to a part of what the user may have, so
 * that other processes of the user have some left. If /proc/sys cannot be written, as in most containers, there is no such
 * limit. With `pids`, the new pid namespace has at most that many processes and threads, also for root; at least 301, the
 * minimum of the kernel. */
void identity_limit(int64_t pids);

#endif
