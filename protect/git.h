/*
 * Git's files, and whether settings in them make git run code.
 */
#ifndef BAILEY_PROTECT_GIT_H
#define BAILEY_PROTECT_GIT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/*
 * Which settings of a git config are harmless: they run no code on the host. Others name programs (core.fsmonitor,
 * filter.*.clean), are scripts (alias.*), or include more settings (include.path): every key that is not in the table is
 * treated as one of these.
 */

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

/*
 * The syntax of git's config files, as git reads it; the caller interprets the keys. Includes are ordinary keys here.
 */

struct git_setting {
        struct str section, name; /* in lower case */
        struct str subsection;    /* as written, in [section.sub] in lower case; empty: none */
        struct str value;         /* NUL-terminated; empty for a bare key */
};

typedef int git_setting_fn(void *context, const struct git_setting *setting, struct err *err);

/* Calls back for each setting in the order of the file, and stops if the callback fails. Returns 1 if the file has a syntax
 * error, so that git would refuse it. */
int git_config_read(struct str text, struct arena *arena, git_setting_fn *show, void *context, struct err *err);

/*
 * The index of a git repository, read only to find gitlinks: repositories in the repository, which git enters by itself.
 */

enum { GIT_INDEX_SHA1 = 20, GIT_INDEX_SHA256 = 32 }; /* bytes of an object's id */

typedef int git_link_fn(void *context, struct str path, struct err *err);

/*
 * Calls `show` with the path of each gitlink, which has no empty, `.` or `..` names, in the order of the index. `ret_known`:
 * there are no others. It is false if the file is not an index, is split or sparse (entries are elsewhere), has an unknown
 * version, or could be parsed differently by git. Fails only if `show` does.
 */
int git_index_read(struct str bytes, unsigned id_size, git_link_fn *show, void *context, bool *ret_known, struct err *err);

#endif
