/*
 * Absolute paths, as texts: where one is in relation to another.
 */
#ifndef BAILEY_BASE_PATH_H
#define BAILEY_BASE_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

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

#endif
