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
        bool covered;                   /* its config is, so that nobody looks again: no addresses in the workspace */
};

enum { GIT_KEY_SIZE = 128 };

/* Whether two configs differ only in settings that run nothing; an empty `before` is that of a new repository. False too for a
 * config that git would refuse, and without memory, which comes from the arena only. `ret_key` may be NULL; it gets the first
 * key that is not harmless, without its subsection, or nothing where there is no such key. */
bool git_config_is_harmless(struct str before, struct str after, const struct git_repository *repository, struct arena *arena,
                            char *ret_key);

/* The same of the list of `git rebase`: no line that runs something is new. */
bool git_todo_is_harmless(struct str before, struct str after);

#endif
