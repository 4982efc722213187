/*
 * A process that is killed lets go of its locks a moment before the kernel tells its children, and the processes of its sandbox
 * end after that. Until then they write.
 */
#ifndef BAILEY_PROTECT_KILLED_H
#define BAILEY_PROTECT_KILLED_H

#include "base/err.h"

/* Waits until the processes of this user (of root: of anybody) that are being killed have ended, and those that end with
 * them. */
int killed_wait(struct err *err);

#endif
