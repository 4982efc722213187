/*
 * Serialises the inside part of a launch to an fd, for this program when a wrapper starts it again.
 */
#ifndef BAILEY_LAUNCH_BLOB_H
#define BAILEY_LAUNCH_BLOB_H

#include "base/arena.h"
#include "base/err.h"
#include "sandbox/launch.h"

/* Returns a sealed fd. */
int blob_write(const struct launch *launch, struct err *err);
int blob_read(int fd, struct arena *arena, struct launch *ret, struct err *err);

#endif
