/*
 * Finds the files that a command may not change in its own workspace because programs on the host would run them later: git's
 * hooks and configs, the settings of editors and agents, shell rc files. A survey lists what exists, what has to be covered by
 * a read-only mount while commands run, and which directories must therefore not be renamed. It is taken before a command and,
 * to find what the command left, after it (protect.h).
 */
#ifndef BAILEY_PROTECT_SURVEY_H
#define BAILEY_PROTECT_SURVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum protected_kind {
        PROTECTED_NAME,    /* must not be new */
        PROTECTED_CONFIG,  /* of git: harmless keys may be new (git_keys.c) */
        PROTECTED_HOOKS,   /* a directory: samples may be new */
        PROTECTED_POINTER, /* a file `.git` below the top: may be new if it leads to a git directory that is checked, too */
        PROTECTED_ENTRY,   /* commondir and gitdir of a linked worktree: may be new if they lead to their repository */
        PROTECTED_TODO,    /* of git rebase: lines that run no command may be new */
        PROTECTED_INDEX,   /* of git, if it cannot be parsed: it may lead git to repositories that were not found */
};

/* The identity of a file: the kernel's file handle, or device and inode if there is none. Handles are never reused. */
struct protected_identity {
        unsigned char len, bytes[47];
};

struct protected_path {
        const char *path; /* absolute, without symbolic links */
        enum protected_kind kind;
        bool directory;
        const char *link;   /* its target, if it is a symbolic link, which cannot be covered */
        struct str content; /* of a CONFIG or TODO: its text; of another file: its SHA-256; no pointer: not known */
        struct protected_identity identity;
};

struct protected_paths {
        struct protected_path *items;
        size_t count, room;
};

struct protection {
        const char *workspace;            /* its real path */
        struct protected_paths read_only; /* exist now, and are covered */
        struct protected_paths checked;   /* exist now, and are checked when a command ends */
        struct protected_paths absent;    /* do not exist, and are protected only because of a config or a link */
        struct protected_paths anchors;   /* writable directories that must not be renamed, outermost first */
        struct protected_paths git_write; /* git directories of this workspace outside of it, to be made writable */
        bool sealed;                      /* too many covers: the whole workspace is read-only */
        bool unseen;                      /* the search for repositories stopped at its limit */
        struct err problem;               /* after a command: not everything could be examined */
        const char *notices[8];           /* sentences for the user */
        size_t notice_count;
};

/*
 * `workspace` is absolute; `home` is what git uses for ~/, or NULL. The paths of `known` are examined, too, even if they would
 * not be found now; it may be NULL.
 */
int protect_survey(const char *workspace, const char *home, const struct protection *known, struct arena *arena,
                   struct protection *ret, struct err *err);

/*
 * Surveys what a command left, compared with what was there `before`. Makes directories accessible that the command closed, and
 * finds no covers. If a path cannot be examined, it continues with the others: `problem` is the first error.
 */
int protect_survey_after(const char *workspace, const char *home, const struct protection *before, struct arena *arena,
                         struct protection *ret, struct err *err);

/* Returns the i-th name that is protected in every git directory; NULL: there are no more. */
const char *protect_git_name(size_t i);

/* Adds an item, unless its path is in the list. */
int protected_add(struct protected_paths *paths, struct protected_path item, struct arena *arena, struct err *err);

/* Returns the item with this path; NULL: none. */
const struct protected_path *protect_find(const struct protected_paths *paths, const char *path);

/* Examines a name without following a link: fills in all but the path and the kind. Returns 1 if it does not exist. */
int protect_stat(int directory, const char *name, struct protected_path *ret, struct arena *arena, struct err *err);

bool protect_same(const struct protected_path *a, const struct protected_path *b);

#endif
