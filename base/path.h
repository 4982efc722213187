/*
 * Absolute paths, as texts: where one is in relation to another.
 */
#ifndef BAILEY_BASE_PATH_H
#define BAILEY_BASE_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Is `path` in the directory `dir`, at any depth? A slash at the end of `dir` does not matter. */
bool path_below(const char *path, const char *dir);

/* The same, or is it `dir` itself? */
bool path_within(const char *path, const char *dir);

/* Where an open file is; false: that is not known. Unlike realpath() it allocates nothing. */
bool path_of_fd(int fd, char ret[static PATH_MAX]);

/* The way to what is open, also with O_PATH only. */
struct path_to_fd {
        char text[32];
};
struct path_to_fd path_to_fd(int fd);

/*
 * A path that is followed name by name, as the kernel does it.
 */

enum { ROUTE_LINKS_MAX = 40 }; /* as the kernel has it */

struct route {
        char done[PATH_MAX]; /* real so far, without a slash at the end; empty for the root */
        size_t len;
        char rest[PATH_MAX];
        unsigned links;
};

/* Puts `path` in front of what is left to go; an absolute one starts over. */
bool route_push(struct route *route, const char *path);

/* Takes the next name off the rest; false at the end. */
bool route_next(struct route *route, char ret_name[static NAME_MAX + 1], bool *ret_too_long);

void route_up(struct route *route);
void route_down(struct route *route, const char *name);

/* Appends the components of `path` to the `len` bytes in `out`, a path that is absolute, relative, or begins with ~; without
 * empty ones and ., and .. takes one away. Returns the new length, at most that of both and a slash. */
size_t path_append(char *out, size_t len, struct str path);

/*
 * Patterns of paths. * and ? stay inside a component, ** does not.
 */

bool path_glob_here(struct str pattern, struct str text);
bool path_glob_anywhere(struct str pattern, struct str text); /* in the directory that `text` is relative to, or any below it */
bool path_glob(struct str pattern, struct str text);          /* anywhere, if it begins with ** and a slash */

#endif
