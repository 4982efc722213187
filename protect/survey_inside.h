/*
 * A survey in progress: for the survey*.c files, and for code that applies the same rules afterwards. Functions do not return
 * errors: an error is stored in the survey. Before a command it ends the survey, and further calls have no effect; after a
 * command it is kept, and the other paths are still examined.
 */
#ifndef BAILEY_PROTECT_SURVEY_INSIDE_H
#define BAILEY_PROTECT_SURVEY_INSIDE_H

#include "base/path.h"
#include "policy/files.h"
#include "protect/survey.h"

enum { SURVEY_HOOKS_PATHS = 4, SURVEY_FILE_MAX = 1 << 20 };

struct survey {
        struct arena *arena;
        const struct protection *before; /* NULL: nothing has run yet */
        const char *workspace;           /* its real path */
        const char *home;                /* NULL: not known */
        int workspace_fd;
        struct err last;
        bool failed;       /* permanently */
        bool on_known_way; /* new links in the path are checked themselves: a known path was behind them */
        struct protection *found;
        struct protected_paths walked;               /* git directories and entries of worktrees: only their paths */
        struct protected_paths addressed;            /* repositories that are remotes of others: only their paths */
        unsigned includes;                           /* config files that others include, of one git directory */
        unsigned folders;                            /* directories in git directories that were searched */
        const char *hooks_paths[SURVEY_HOOKS_PATHS]; /* of the user's own config: relative to each work tree */
        size_t hooks_path_count;
};

/* `last` is an error of the survey. */
void survey_failed(struct survey *s);
#define survey_error(s, ...) (err_set_message(&(s)->last, __VA_ARGS__), survey_failed(s))
#define survey_sys(s, ...) (err_sys_message(&(s)->last, __VA_ARGS__), survey_failed(s))

/* ---- paths ---- */

int path_open(const char *path, int flags); /* through no symbolic link at all */
bool path_there(int fd, const char *name);  /* also a link that leads nowhere */

/* Copies that live as long as what is found; "" without memory, which is no path of anything. */
const char *survey_keep(struct survey *s, struct str text);
const char *survey_join(struct survey *s, const char *path, const char *name);

/* Returns the writable directory that this path is strictly below; NULL: commands cannot write there. */
const char *survey_root(const struct survey *s, const char *path);

/* Where a path leads to. */
struct place {
        const char *path; /* absolute and resolved as far as it exists; NULL: unreachable */
        bool exists, directory;
};

/* Resolves `path`, relative to the directory `from` unless it is absolute. Symbolic links in the path that a command could
 * replace become protected, and so do directories that cannot be searched. */
struct place survey_resolve(struct survey *s, const char *from, const char *path);

/* Reads a file that git would read; no pointer: it does not exist, or git could not read it either. */
struct str survey_read(struct survey *s, int fd, const char *name, size_t max, enum file_care care);

/* Returns the path after `prefix` in a file of git, without the newline; NULL: it contains none. */
const char *survey_read_path(struct survey *s, int fd, const char *name, const char *prefix);

/* ---- results ---- */

/* Protects the path, whether or not it exists, if commands can write there. */
void survey_protect(struct survey *s, struct place place, enum protected_kind kind);

/* Adds the file with this name, if it exists, and its target. `covered`: covered, not only checked afterwards. */
void survey_name(struct survey *s, int fd, const char *path, const char *name, enum protected_kind kind, bool covered);

/* Returns false on failure. */
bool survey_add(struct survey *s, struct protected_paths *paths, struct protected_path item);

/* Returns the item with this path, covered or not; NULL: none. */
const struct protected_path *survey_find(const struct protection *found, const char *path);

/* Covers a whole directory that cannot be searched or contains too much. A notice tells the user `why`. */
void survey_whole(struct survey *s, const char *path, const char *why);

/* For a directory that could not be opened or searched. Returns false if it is covered, or inaccessible to commands as well. */
bool survey_opened(struct survey *s, const char *path);

/* Adds a directory and those above it to the anchors. */
void survey_anchor(struct survey *s, const char *path);

/* ---- git: survey_config.c ---- */

/* Follows the hooks and includes of a config. `folder` is what an include is relative to, `base` what hooksPath is
 * relative to; NULL: not known. */
void survey_settings(struct survey *s, struct str text, const char *folder, const char *base);

/* Records the repositories in the workspace that a config pushes to, because their hooks run then. survey_addressed() examines
 * them after all others were found. */
void survey_addresses(struct survey *s, struct str text, const char *base);
void survey_addressed(struct survey *s);

/* Returns the work tree that this config sets; NULL: none. */
const char *survey_worktree(struct survey *s, struct str text);

/* Hooks are often links to scripts in the repository. */
void survey_hooks(struct survey *s, const char *path);

/* The configs of the user and of the system, which may lead into the workspace, before all repositories; what they say of one
 * with the work tree `base`; and the repository that the workspace is a part of, when there is one. */
void survey_global(struct survey *s);
void survey_apply_global(struct survey *s, const char *base);
void survey_above(struct survey *s);

/* ---- git: survey_git.c ---- */

/* A directory: its `.git`, and itself where it is a bare repository. `nested`: below the workspace. */
void survey_tree(struct survey *s, int fd, const char *path, bool nested);

/* A git directory that is in the workspace or in `git_write`, with all that is in it. `base` is its work tree. */
void survey_git_dir(struct survey *s, const char *path, const char *base, bool nested);

/* Returns true if `directory` looks like a git directory; the check is stricter if it is not named `.git`. */
bool survey_is_git_dir(int directory, bool bare);

/* `commondir` or `gitdir` in the entry of a linked worktree, as git itself writes it. */
bool survey_is_entry_harmless(int fd, const char *name);

/* Returns true if the pointer in the directory `path` leads to a harmless git directory that is checked itself. */
bool survey_leads_inside(const struct protection *found, const char *workspace, int fd, const char *path);

/* All directories of the workspace for survey_tree(), itself first. survey_find.c */
void survey_trees(struct survey *s);

/* Returns true if every survey finds a repository at this path, whether or not anything refers to it. survey_find.c */
bool survey_always_looks(const char *below);

#endif
