/*
 * A survey on its way: for protect.c and protect_git.c only.
 */
#ifndef BAILEY_SANDBOX_PROTECT_SURVEY_H
#define BAILEY_SANDBOX_PROTECT_SURVEY_H

#include "sandbox/protect.h"

struct survey {
        struct arena *arena;
        const char *workspace; /* its real path */
        int workspace_fd;
        struct protection *found;
        unsigned git_dirs; /* and entries of worktrees */
        unsigned includes; /* config files that others include */
};

/* Where a path leads to. */
struct place {
        const char *path; /* absolute and real as far as it exists; NULL: nobody can get there */
        bool exists, directory;
};

/* All of these return -1 with an error, or 0. */

/* Follows `path`, taken from the directory `from` unless it is absolute. Symbolic links on the way that a command could
 * replace become protected. */
int survey_resolve(struct survey *s, const char *from, const char *path, struct place *ret, struct err *err);

/* The directory with write access that this path is strictly below of; NULL when a command cannot write there anyway. */
const char *survey_root(const struct survey *s, const char *path);

/* Adds the path to what stays as it is, or as it is not, if a command could write there. */
int survey_protect(struct survey *s, const struct place *place, struct err *err);

/* Adds what stands at this name, if anything does, and what it leads to. */
int survey_name(struct survey *s, int fd, const char *path, const char *name, struct err *err);

/* Adds a directory and those above it to the anchors. */
int survey_anchor(struct survey *s, const char *path, struct err *err);

int survey_add(struct survey *s, struct protected_paths *paths, struct protected_path item, struct err *err);
int survey_join(struct survey *s, const char *path, const char *name, const char **ret, struct err *err);

/* `.git` of the workspace, and the workspace itself where it is a bare repository. protect_git.c */
int survey_git(struct survey *s, struct err *err);

bool path_below(const char *path, const char *root); /* strictly */

#endif
