/*
 * A survey on its way: for the survey*.c files only.
 */
#ifndef BAILEY_PROTECT_SURVEY_INSIDE_H
#define BAILEY_PROTECT_SURVEY_INSIDE_H

#include "protect/survey.h"

struct survey {
        struct arena *arena;
        const char *workspace; /* its real path */
        const char *home;      /* NULL: not known */
        int workspace_fd;
        struct protection *found;
        struct protected_paths walked; /* git directories and entries of worktrees: only their paths */
        unsigned includes;             /* config files that others include, of one git directory */
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

/* A git directory that is in the workspace or in `git_write`, with all that is in it. `base` is its work tree. survey_git.c */
int survey_git_dir(struct survey *s, const char *path, const char *base, bool nested, struct err *err);

/* A file that git would read: what cannot be read at all has no text, and git refuses it. */
enum { SURVEY_CONFIG_MAX = 1 << 20 };
int survey_read(struct survey *s, int fd, const char *name, size_t max, struct str *ret, struct err *err);

/* What this config says of where the work tree is; NULL: nothing. */
int survey_worktree(struct survey *s, struct str text, const char **ret, struct err *err);

/* `.git` of the workspace, the workspace itself where it is a bare repository, and the repositories in it. survey_tree.c */
int survey_git(struct survey *s, struct err *err);

bool path_below(const char *path, const char *root); /* strictly */

#endif
