/*
 * Who a process in a new user namespace is: the same as outside. Root keeps every id that it can see, so that files show
 * their owners; an ordinary user is allowed only the own one.
 */
#ifndef BAILEY_LAUNCH_IDENTITY_H
#define BAILEY_LAUNCH_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

int identity_map(pid_t pid, struct err *err);

/* Can the highest process number be set for a pid namespace alone? Before Linux 6.14, root would set that of the host. */
bool identity_limits_pids(void);

/* In the new user namespace, before /proc is replaced: it takes only a part of what its user may watch by inotify, so that
 * others of the user have some left. Where /proc/sys cannot be written, as in most containers, it may take all.
 * With `pids`, its new pid namespace has no more processes and threads than that, whoever its user is; or than 301, which is
 * the least that the kernel takes. */
void identity_limit(int64_t pids);

#endif
