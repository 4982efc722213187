/*
 * The files that a process starts with: exactly those given, from 0 on.
 */
#ifndef BAILEY_LAUNCH_FILES_H
#define BAILEY_LAUNCH_FILES_H

#include <stdbool.h>

#include "base/err.h"

/* Moves from[i] to i, for each i < count, and closes all others. Those past 2 are closed on exec, if so wished. */
int files_arrange(int *from, int count, bool close_on_exec, struct err *err);

/* Closes all from this one on, also where containers forbid close_range(). 0, or -1 and errno. */
int files_close_from(int first);

#endif
