/*
 * Applies a Landlock plan to this process. The rights asked for are all that this kernel's Landlock knows.
 */
#ifndef BAILEY_LAUNCH_LANDLOCK_H
#define BAILEY_LAUNCH_LANDLOCK_H

#include "base/err.h"
#include "sandbox/launch.h"

int landlock_apply(const struct landlock_plan *plan, struct err *err);

#endif
