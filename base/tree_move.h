/*
 * Moving and removing what a hostile command left behind, whose mode, and that of the directory it stands in, may be in the
 * way. Directories keep the mode that they have.
 */
#ifndef BAILEY_BASE_TREE_MOVE_H
#define BAILEY_BASE_TREE_MOVE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Renames to a name that is new, or fails with errno, EEXIST for one that is not. */
int move_rename(int from, const char *name, int to, const char *to_name);

/* The same for a directory, too, that its mode keeps from being moved: one that moves has to be writable itself. */
int move_new(int from, const char *name, int to, const char *to_name);

/* Not of links, which have none. */
void move_set_mode(int dir, const char *name, mode_t mode);

/* Removes a tree, for at most `time` nanoseconds. */
int move_remove(int dir, const char *name, int64_t time, struct err *err);

#endif
