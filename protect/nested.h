/*
 * Where the repositories in a workspace are, besides the one at its top. Two ways lead to them: the gitlinks in the index of
 * a repository, at any depth, since git goes there by itself; and a look around, a few directories deep, for what a person
 * enters. Only reads, goes through no symbolic link, and costs no more than it is allowed to.
 */
#ifndef BAILEY_PROTECT_NESTED_H
#define BAILEY_PROTECT_NESTED_H

#include "protect/survey.h"

enum nested_kind {
        NESTED_TREE, /* a directory with a `.git`, of whatever kind */
        NESTED_BARE, /* a git directory by itself */
};

struct nested_visitor {
        void *context;
        unsigned entries; /* of directories, to be looked at when looking around */
        bool wary;        /* a command was here: also looks for git directories in forms that nobody makes by accident */
        /* Called once for each; `fd` is the directory. What an index says is read after this. */
        int (*found)(void *context, int fd, const char *path, enum nested_kind kind, struct err *err);
        /* The index of the repository at `path` cannot be understood, so all below it was looked at, but that was too much:
         * it may have gitlinks that were not found. */
        int (*unknown)(void *context, int git_dir, const char *path, struct err *err);
};

enum { NESTED_ENTRIES = 1 << 12, NESTED_ENTRIES_DEEP = 1 << 16 };

/* `ret_all`: looking around was not stopped by `entries`. */
int nested_find(int workspace, const char *path, const struct nested_visitor *visitor, struct arena *arena, bool *ret_all,
                struct err *err);

#endif
