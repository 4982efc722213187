/*
 * Carries out a list of mounts in the mount namespace of this process, which must be its own.
 */
#ifndef BAILEY_LAUNCH_MOUNT_H
#define BAILEY_LAUNCH_MOUNT_H

#include "base/err.h"
#include "sandbox/launch.h"

int mount_all(const struct mount_step *steps, size_t count, struct err *err);

#endif
