/*
 * Who a process in a new user namespace is: the same as outside. Root keeps every id that it can see, so that files show
 * their owners; an ordinary user is allowed only the own one.
 */
#ifndef BAILEY_LAUNCH_IDENTITY_H
#define BAILEY_LAUNCH_IDENTITY_H

#include <sys/types.h>

#include "base/err.h"

int identity_map(pid_t pid, struct err *err);

/* In the new user namespace, before /proc is replaced: it takes only a part of what its user may watch by inotify, so that
 * others of the user have some left. Where /proc/sys cannot be written, as in most containers, it may take all. */
void identity_limit(void);

#endif
