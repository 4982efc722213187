/*
 * A survey on its way: for the survey*.c files, and for what judges by the same rules afterwards. No function says that it
 * failed: an error is the survey's own. Before a command it ends the survey, and whatever else is called does no harm; after
 * one it is kept, and the other places are looked at all the same.
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
        bool failed;       /* for good */
        bool on_known_way; /* new links that are met are judged themselves: what was known lay behind them */
        struct protection *found;
        struct protected_paths walked;               /* git directories and entries of worktrees: only their paths */
        struct protected_paths addressed;            /* repositories that are remotes of others: only their paths */
        unsigned includes;                           /* config files that others include, of one git directory */
        unsigned folders;                            /* directories in git directories that were looked into */
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

/* The directory with write access that this path is strictly below of; NULL when a command cannot write there anyway. */
const char *survey_root(const struct survey *s, const char *path);

/* Where a path leads to. */
struct place {
        const char *path; /* absolute and real as far as it exists; NULL: nobody can get there */
        bool exists, directory;
};

/* Follows `path`, taken from the directory `from` unless it is absolute. Symbolic links on the way that a command could
 * replace become protected, and so do directories that cannot be looked into. */
struct place survey_resolve(struct survey *s, const char *from, const char *path);

/* A file that git would read; no pointer: there is none, or git could not read it either. */
struct str survey_read(struct survey *s, int fd, const char *name, size_t max, enum file_care care);

/* The path in a file of git's that holds one behind `prefix`, without the end of its line; NULL: it holds none. */
const char *survey_read_path(struct survey *s, int fd, const char *name, const char *prefix);

/* ---- what is found ---- */

/* Adds the path to what stays as it is, or as it is not, if a command could write there. */
void survey_protect(struct survey *s, struct place place, enum protected_kind kind);

/* Adds what stands at this name, if anything does, and what it leads to. `covered`: not only looked at afterwards. */
void survey_name(struct survey *s, int fd, const char *path, const char *name, enum protected_kind kind, bool covered);

/* False when that failed. */
bool survey_add(struct survey *s, struct protected_paths *paths, struct protected_path item);

/* The one at this path, covered or not; NULL when there is none. */
const struct protected_path *survey_find(const struct protection *found, const char *path);

/* Covers a directory as a whole: it cannot be looked into, or there is too much in it. The user is told `why`. */
void survey_whole(struct survey *s, const char *path, const char *why);

/* A directory could not be opened or searched. False: leave it, it is covered, or closed to commands as well. */
bool survey_opened(struct survey *s, const char *path);

/* Adds a directory and those above it to the anchors. */
void survey_anchor(struct survey *s, const char *path);

/* ---- git: survey_config.c ---- */

/* What a config says of hooks and other configs. `folder` is what an include is relative to, `base` what hooksPath is
 * relative to; NULL: not known. */
void survey_settings(struct survey *s, struct str text, const char *folder, const char *base);

/* What a config says of repositories in the workspace that are pushed to, as their hooks run then. survey_addressed() looks at
 * them when all others were found. */
void survey_addresses(struct survey *s, struct str text, const char *base);
void survey_addressed(struct survey *s);

/* What this config says of where the work tree is; NULL: nothing. */
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

/* `directory` looks like a git directory: of one that is no `.git` the answer has to be surer. */
bool survey_is_git_dir(int directory, bool bare);

/* `commondir` or `gitdir` in the entry of a linked worktree, as git itself writes it. */
bool survey_is_entry_harmless(int fd, const char *name);

/* A pointer in the directory `path` leads to a git directory that a command could have made, and that is looked at itself. */
bool survey_leads_inside(const struct protection *found, const char *workspace, int fd, const char *path);

/* All directories of the workspace for survey_tree(), itself first. survey_find.c */
void survey_trees(struct survey *s);

/* A repository at this path below the workspace is found by every survey, whether or not anything leads to it. survey_find.c */
bool survey_always_looks(const char *below);

#endif
