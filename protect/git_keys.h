/*
 * Which settings of a git config are harmless: they run no code on the host. Others name programs (core.fsmonitor,
 * filter.*.clean), are scripts (alias.*), or include more settings (include.path): every key that is not in the table is
 * treated as one of these.
 */
#ifndef BAILEY_PROTECT_GIT_KEYS_H
#define BAILEY_PROTECT_GIT_KEYS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

struct protection;

struct git_repository {
        const char *git_dir;            /* what core.worktree is relative to */
        const char *workspace;          /* it must be inside this */
        const struct protection *found; /* what is checked there; NULL: not known yet */
        bool covered;                   /* its config is covered and not checked again: no URLs in the workspace */
};

enum { GIT_KEY_SIZE = 128 };

/* Returns true if two configs differ only in harmless settings; an empty `before` is that of a new repository. Returns false
 * for a config that git would refuse, and without memory, which comes from the arena only. `ret_key` may be NULL; it gets the
 * first key that is not harmless, without its subsection, or nothing. */
bool git_config_is_harmless(struct str before, struct str after, const struct git_repository *repository, struct arena *arena,
                            char *ret_key);

/* The same for the list of `git rebase`: returns true if no new line runs a command. */
bool git_todo_is_harmless(struct str before, struct str after);

#endif
