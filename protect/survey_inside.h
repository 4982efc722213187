/*
 * A survey on its way: for the survey*.c and nested*.c files only. All functions return 0, or -1 with an error.
 */
#ifndef BAILEY_PROTECT_SURVEY_INSIDE_H
#define BAILEY_PROTECT_SURVEY_INSIDE_H

#include "protect/survey.h"

enum { SURVEY_HOOKS_PATHS = 4 };

struct survey {
        struct arena *arena;
        const struct protection *before; /* NULL: nothing has run yet */
        const char *workspace;           /* its real path */
        const char *home;                /* NULL: not known */
        int workspace_fd;
        bool on_known_way; /* new links that are met are judged themselves: what was known lay behind them */
        struct protection *found;
        struct protected_paths walked;               /* git directories and entries of worktrees: only their paths */
        unsigned includes;                           /* config files that others include, of one git directory */
        unsigned folders;                            /* directories in git directories that were looked into */
        const char *hooks_paths[SURVEY_HOOKS_PATHS]; /* of the user's own config: relative to each work tree */
        size_t hooks_path_count;
};

/* Where a path leads to. */
struct place {
        const char *path; /* absolute and real as far as it exists; NULL: nobody can get there */
        bool exists, directory;
};

/* Follows `path`, taken from the directory `from` unless it is absolute. Symbolic links on the way that a command could
 * replace become protected, and so do directories that cannot be looked into. */
int survey_resolve(struct survey *s, const char *from, const char *path, struct place *ret, struct err *err);

/* The directory with write access that this path is strictly below of; NULL when a command cannot write there anyway. */
const char *survey_root(const struct survey *s, const char *path);

/* Adds the path to what stays as it is, or as it is not, if a command could write there. */
int survey_protect(struct survey *s, const struct place *place, enum protected_kind kind, struct err *err);

/* Adds what stands at this name, if anything does, and what it leads to. `covered`: not only looked at afterwards. */
int survey_name(struct survey *s, int fd, const char *path, const char *name, enum protected_kind kind, bool covered,
                struct err *err);

/* Covers a directory as a whole: it cannot be looked into, or there is too much in it. The user is told `why`. */
int survey_whole(struct survey *s, const char *path, const char *why, struct err *err);

/* A directory could not be opened or searched. 1: try again; 0: leave it, it is covered, or closed to commands as well. */
int survey_closed(struct survey *s, const char *path, struct err *err);

/* A place could not be looked at. After a command the others still are: 0. */
int survey_failed(struct survey *s, struct err *err);

/* Adds a directory and those above it to the anchors. */
int survey_anchor(struct survey *s, const char *path, struct err *err);

int survey_add(struct survey *s, struct protected_paths *paths, struct protected_path item, struct err *err);
int survey_join(struct survey *s, const char *path, const char *name, const char **ret, struct err *err);
bool path_below(const char *path, const char *root); /* strictly */

/* A git directory that is in the workspace or in `git_write`, with all that is in it. `base` is its work tree. survey_git.c */
int survey_git_dir(struct survey *s, const char *path, const char *base, bool nested, struct err *err);

/* `directory` looks like a git directory: of a workspace's own top the answer has to be surer. */
bool survey_is_git_dir(int directory, bool top);

/* `commondir` or `gitdir` in the entry of a linked worktree, as git itself writes it. */
bool survey_is_entry_harmless(int fd, const char *name);

/* A pointer in the directory `path` leads to a git directory that a command could have made, and that is looked at itself. */
bool survey_leads_inside(const struct protection *found, const char *workspace, int fd, const char *path);

/* The path in a file of git's that holds one behind `prefix`, without the end of its line; empty: it holds none. */
struct str survey_path_in(struct str text, const char *prefix);

/* A file that git would read; no pointer: there is none, or git could not read it either. */
enum { SURVEY_CONFIG_MAX = 1 << 20 };
int survey_read(struct survey *s, int fd, const char *name, size_t max, struct str *ret, struct err *err);

/* Keeps the text of a config or a list of `git rebase` with its item, when it has one. */
int survey_content(struct survey *s, const char *path, enum protected_kind kind, struct err *err);

/* What this config says of where the work tree is; NULL: nothing. */
int survey_worktree(struct survey *s, struct str text, const char **ret, struct err *err);

/* The configs of the user and of the system, which may lead into the workspace. Before all repositories. */
int survey_global(struct survey *s, struct err *err);

/* The repository that the workspace is a part of, when there is one. */
int survey_above(struct survey *s, struct err *err);

/* `.git` of the workspace, the workspace itself where it is a bare repository, and the repositories in it. survey_tree.c */
int survey_git(struct survey *s, struct err *err);

/* A directory below the workspace with a `.git`, or (`bare`) one that is a git directory by itself. survey_tree.c */
int survey_nested(struct survey *s, int fd, const char *path, bool bare, struct err *err);

/* A repository at this path below the workspace is found by every survey, whether or not anything leads to it. nested_around.c */
bool survey_always_looks(const char *below);

/* Finds these, and tells survey_nested(). nested.c */
int survey_find_nested(struct survey *s, struct err *err);

#endif
