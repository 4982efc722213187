/*
 * Reading and writing of the files that decide over everything else: bounded, regular files only, and not those that
 * others could have written. And where they are.
 */
#ifndef BAILEY_POLICY_FILES_H
#define BAILEY_POLICY_FILES_H

#include <limits.h>

#include "base/buf.h"
#include "base/err.h"

/* How much a file has to be its user's own. */
enum file_care {
        FILE_ANY,     /* named by the user, or trusted by its content */
        FILE_PRIVATE, /* it and its directory belong to the user or root, and no one else can write there */
        FILE_NO_LINK, /* FILE_ANY, and not a symbolic link */
};

/* Returns the value of a variable; NULL: not set. */
const char *environment_get(const char *const *environment, const char *name);

/* $XDG_CONFIG_HOME/bailey or ~/.config/bailey; $XDG_STATE_HOME/bailey or ~/.local/state/bailey. False when neither the
 * variable nor HOME is an absolute path. */
struct directory {
        char path[PATH_MAX];
};
bool directory_config(const char *const *environment, struct directory *ret);
bool directory_state(const char *const *environment, struct directory *ret);

/* The same; that there is none is an error. */
int directory_need_state(const char *const *environment, struct directory *ret, struct err *err);
bool directory_runtime(const char *const *environment, struct directory *ret); /* for sockets */

/* Opens a directory. 0 and -1 as fd when there is none. */
int directory_open(const char *path, int *ret_fd, struct err *err);

/* Makes it and those above it, for the user alone, and opens it. */
int directory_make(const char *path, int *ret_fd, struct err *err);

/* Appends the file `name` in the directory `at` (AT_FDCWD: any path). `label` is its name for messages. */
int file_read(int at, const char *name, const char *label, enum file_care care, struct buf *text, struct err *err);

/* Puts `text` in the place of whatever `name` was: all of it or nothing, also when the machine stops half-way. */
int file_replace(int directory, const char *name, struct str text, unsigned mode, struct err *err);

#endif
