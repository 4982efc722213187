/*
 * Tracks all descendants of a command without a pid namespace: orphans become children of this process.
 */
#ifndef BAILEY_LAUNCH_DESCENDANTS_H
#define BAILEY_LAUNCH_DESCENDANTS_H

#include <sys/types.h>

#include "base/err.h"
#include "launch/control.h"

int descendants_adopt(struct err *err);

/* Waits until the command ends or the supervisor exits. Then kills what is left; returns the command's status. A requested
 * signal is sent to the children of this process and to their groups. */
int descendants_wait(pid_t command, struct control *control);

#endif
