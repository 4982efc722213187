/*
 * Removing what a hostile command left behind: by descriptors, never through a symbolic link, with two directories open at
 * a time however deep the tree is, and not for longer than it was given.
 */
#ifndef BAILEY_BASE_TREE_REMOVE_H
#define BAILEY_BASE_TREE_REMOVE_H

#include <stdint.h>

#include "base/err.h"

enum { REMOVE_NAME_SIZE = 64 };

/* Makes a directory of ours readable, writable and searchable for us, without following a link. */
int remove_unlock(int directory, const char *name, struct err *err);

/* Gives it another name beside it, which means nothing to anybody. */
int remove_aside(int directory, const char *name, char ret_name[static REMOVE_NAME_SIZE], struct err *err);

/* Removes a file, a link or a whole tree; a tree is moved aside first, so that its name is free at once. Past `deadline`
 * (monotonic) the rest stays under the other name, which is an error that tells it. */
int remove_tree(int directory, const char *name, int64_t deadline, struct err *err);

/* The same under the name that it has, which then is not free before all of it is gone. */
int remove_here(int directory, const char *name, int64_t deadline, struct err *err);

#endif
