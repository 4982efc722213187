/*
 * Keeps hold of all descendants of a command where no pid namespace does: those whose parent ends become ours.
 */
#ifndef BAILEY_LAUNCH_DESCENDANTS_H
#define BAILEY_LAUNCH_DESCENDANTS_H

#include <sys/types.h>

#include "base/err.h"
#include "launch/control.h"

int descendants_adopt(struct err *err);

/* Until the command ends, or nobody is outside any more. Then kills what is left; returns the command's status. A signal that
 * is asked for reaches the processes that are children of this one, and their groups. */
int descendants_wait(pid_t command, struct control *control);

#endif
