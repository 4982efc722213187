/*
 * Absolute paths, as texts: where one is in relation to another.
 */
#ifndef BAILEY_BASE_PATH_H
#define BAILEY_BASE_PATH_H

#include <limits.h>
#include <stdbool.h>

/* Is `path` in the directory `dir`, at any depth? A slash at the end of `dir` does not matter. */
bool path_below(const char *path, const char *dir);

/* The same, or is it `dir` itself? */
bool path_within(const char *path, const char *dir);

/* Where an open file is; false: that is not known. Unlike realpath() it allocates nothing. */
bool path_of_fd(int fd, char ret[static PATH_MAX]);

#endif
