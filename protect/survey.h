/*
 * What a command may not change in its own workspace, since the host would run it later: git's hooks and configs, the
 * settings of editors and agents, shell rc files. A survey says what is there, what has to be covered by a read-only mount
 * while commands run, and which directories must not be renamed for that to hold. It is taken before a command and, to see
 * what the command left, after it (protect.h).
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
        PROTECTED_NAME,    /* whatever it is, it must not be new */
        PROTECTED_CONFIG,  /* of git: keys that run nothing may be new (git_keys.h) */
        PROTECTED_HOOKS,   /* a directory: samples may be new */
        PROTECTED_POINTER, /* a file `.git` below the top: may be new when it leads to a git directory that is watched, too */
        PROTECTED_ENTRY,   /* commondir and gitdir of a linked worktree: may be new when they lead to their repository */
        PROTECTED_TODO,    /* of git rebase: lines that run nothing may be new */
        PROTECTED_INDEX,   /* of git, when it cannot be understood: it may lead git to repositories that were not found */
};

/* What a file is, whatever its name: the kernel's handle, or device and inode where there is none. No handle is used twice. */
struct protected_identity {
        unsigned char len, bytes[47];
};

struct protected_path {
        const char *path; /* absolute, and no symbolic link on the way to it */
        enum protected_kind kind;
        bool directory;
        const char *link;   /* text, when it is a symbolic link; then it cannot be mounted over */
        struct str content; /* of a CONFIG or TODO: its text; of another file: its SHA-256; no pointer: not known */
        struct protected_identity identity;
};

struct protected_paths {
        struct protected_path *items;
        size_t count;
};

struct protection {
        const char *workspace;            /* its real path */
        struct protected_paths read_only; /* exist now, and are covered */
        struct protected_paths checked;   /* exist now, and are looked at when a command ends */
        struct protected_paths absent;    /* do not exist, and only a config or a link says that they are protected */
        struct protected_paths anchors;   /* writable directories that must not be renamed, outermost first */
        struct protected_paths git_write; /* git directories of this workspace that lie outside of it, to be made writable */
        bool sealed;                      /* there is too much to cover: the workspace is read-only as a whole */
        bool unseen;                      /* there is too much to look for repositories everywhere */
        struct err problem;               /* after a command: not everything could be looked at */
        const char *notices[8];           /* sentences for the user */
        size_t notice_count;
};

/*
 * `workspace` is absolute; `home` is what git takes for ~/, or NULL. What `known` has is looked at, too, however it would be
 * found now; it may be NULL.
 */
int protect_survey(const char *workspace, const char *home, const struct protection *known, struct arena *arena,
                   struct protection *ret, struct err *err);

/*
 * What a command left, compared with what was there `before`. It opens directories that the command closed, and finds nothing
 * for covers. A place that cannot be looked at does not keep it from the others: `problem` tells the first.
 */
int protect_survey_after(const char *workspace, const char *home, const struct protection *before, struct arena *arena,
                         struct protection *ret, struct err *err);

/* Adds an item, unless there is one with its path. */
int protected_add(struct protected_paths *paths, struct protected_path item, struct arena *arena, struct err *err);

/* The one at this path; NULL when there is none. */
const struct protected_path *protect_find(const struct protected_paths *paths, const char *path);

/* What stands at a name, without following it: fills in all but the path and the kind. 1 when there is nothing. */
int protect_stat(int directory, const char *name, struct protected_path *ret, struct arena *arena, struct err *err);

bool protect_same(const struct protected_path *a, const struct protected_path *b);

#endif
