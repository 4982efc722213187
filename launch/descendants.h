/*
 * Keeps hold of all descendants of a command where no pid namespace does: those whose parent ends become ours.
 */
#ifndef BAILEY_LAUNCH_DESCENDANTS_H
#define BAILEY_LAUNCH_DESCENDANTS_H

#include <sys/types.h>

#include "base/err.h"

int descendants_adopt(struct err *err);

/* Until the command ends, or the other end of `lifeline` closes. Then kills what is left; returns the command's status. */
int descendants_wait(pid_t command, int lifeline);

#endif
