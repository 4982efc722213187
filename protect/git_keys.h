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

/* Whether two configs differ only in settings that run nothing; an empty `before` is that of a new repository. False too for
 * a config that git would refuse, and without memory. */
bool git_config_is_harmless(struct str before, struct str after, const struct git_repository *repository, struct arena *arena);

/* The same of the list of `git rebase`: no line that runs something is new. */
bool git_todo_is_harmless(struct str before, struct str after);

#endif
