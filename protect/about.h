/*
 * about.json of what is set aside, which is called moving.json as long as that is on its way: see aside.h. Paths may hold any
 * byte, and JSON no bytes: they are written twice, for people and in hexadecimal.
 */
#ifndef BAILEY_PROTECT_ABOUT_H
#define BAILEY_PROTECT_ABOUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

struct about {
        const char *path, *workspace, *why, *kind, *note;
        unsigned mode; /* that it had */
        int64_t at;
        bool moving; /* or being restored */
};

/* Writes moving.json. */
int about_write(int directory, const struct about *about, struct err *err);

/* Renames the one to the other. */
int about_mark(int directory, bool moving, struct err *err);

/* ERR_NOT_FOUND: there is none. */
int about_read(int directory, struct arena *arena, struct about *ret, struct err *err);

/* Opens the directory of `path` through no symbolic link; makes what is missing of it. `err->sys` says why it failed. */
int about_open_parent(const char *path, bool make, int *ret_fd, struct err *err);

/* The name in it, which is at the end of the path. */
const char *about_name(const char *path);

/* What it is called beside its place, while it is neither there nor in the store. */
struct about_left {
        char name[NAME_MAX + 1];
};
struct about_left about_left(const char *path, const char *id);

#endif
