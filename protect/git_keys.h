/*
 * Which settings of a git config run nothing on the host. Others name programs (core.fsmonitor, filter.*.clean), are scripts
 * (alias.*), or lead to more settings (include.path): what is not in the table is taken for one of these.
 */
#ifndef BAILEY_PROTECT_GIT_KEYS_H
#define BAILEY_PROTECT_GIT_KEYS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

struct protection;

struct git_repository {
        const char *git_dir;            /* what core.worktree is relative to */
        const char *workspace;          /* where it has to lead */
        const struct protection *found; /* what is looked at there; NULL: not known yet */
};

enum git_change {
        GIT_CHANGE_HARMLESS,
        GIT_CHANGE_VALUE, /* a key of the table has a value that leads to something unknown */
        GIT_CHANGE_RUNS,  /* a key that is not in the table was set, changed or removed, or git would refuse the config */
};

enum { GIT_KEY_SIZE = 128 };

/* In what two configs differ; an empty `before` is that of a new repository. `ret_key` may be NULL; it gets the first key that
 * is not harmless, without its subsection, or nothing where there is no such key. Takes memory from the arena only; without
 * memory nothing is harmless. */
enum git_change git_config_compare(struct str before, struct str after, const struct git_repository *repository,
                                   struct arena *arena, char *ret_key);

static inline bool git_config_is_harmless(struct str before, struct str after, const struct git_repository *repository,
                                          struct arena *arena) {
        return git_config_compare(before, after, repository, arena, NULL) == GIT_CHANGE_HARMLESS;
}

/* The same of the list of `git rebase`: no line that runs something is new. */
bool git_todo_is_harmless(struct str before, struct str after);

#endif
