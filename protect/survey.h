/*
 * What a command may not change in its own workspace, since the host would run it later: git's hooks and configs, the
 * settings of editors and agents, shell rc files. The survey only reads. It says what has to be mounted read-only, which
 * directories must not be renamed for that to hold, and what has to be swept away afterwards (run/sweep.h) because a path
 * that does not exist cannot be mounted over.
 */
#ifndef BAILEY_PROTECT_SURVEY_H
#define BAILEY_PROTECT_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct protected_path {
        const char *path; /* absolute, and no symbolic link on the way to it */
        bool directory;
        bool pending;       /* a command that is under way may have made it: run/sweep.h */
        const char *link;   /* text, when it is a symbolic link; then it cannot be mounted over */
        struct str content; /* of a git config, so that it can be put back; no pointer: not known */
        uint64_t device, inode;
        int64_t born; /* nanoseconds since 1970, 0 where the file system does not tell; numbers of inodes are used again */
};

struct protected_paths {
        struct protected_path *items;
        size_t count;
};

struct protection {
        struct protected_path workspace;  /* its real path */
        struct protected_paths read_only; /* exist now, and stay as they are */
        struct protected_paths anchors;   /* writable directories that must not be renamed, outermost first */
        struct protected_paths git_write; /* git directories of this workspace that lie outside of it, to be made writable */
        struct protected_paths git_dirs;  /* the outermost git directories that a command could write, in or outside of it */
        struct protected_paths absent;    /* do not exist, and only a config or a link says that they are protected */
        /* Where there may be repositories that were not found: the workspace, when looking around was too much, and each
         * `.git` whose index cannot be understood when that was too much, too. */
        struct protected_paths unknown;
};

/* `workspace` is absolute; `home` is what git takes for ~/, or NULL. Fails when there is more than can be protected: a command
 * must not run then. */
int protect_survey(const char *workspace, const char *home, struct arena *arena, struct protection *ret, struct err *err);

/* How names begin that a sweep gives to what it moves aside: nobody takes them for anything. */
#define PROTECT_ASIDE ".bailey-aside-"

/* What a name is, without following it. 1 when there is none. `ret->path` and what only a reader knows stay empty. */
int protect_stat(int directory, const char *name, struct protected_path *ret, bool *ret_link, struct err *err);

/* Is it the very same thing, whatever its name? Numbers of devices are left to the caller: they may change with a restart. */
bool protect_same(const struct protected_path *a, const struct protected_path *b);

/* The one at this path; NULL when there is none. */
const struct protected_path *protect_find(const struct protected_paths *paths, const char *path);

/* `directory` looks like a git directory: of a workspace's own top the answer has to be surer. */
bool protect_is_git_dir(int directory, bool top);

/*
 * Walks a git directory, its linked worktrees and the git directories of its submodules by descriptors, never through a
 * symbolic link.
 */
enum protect_kind {
        PROTECT_GIT_DIR,
        PROTECT_WORKTREE, /* the entry of a linked worktree in a git directory */
        PROTECT_FOLDER,   /* only holds others */
};

struct protect_visitor {
        void *context;
        unsigned max;   /* directories; more is an error */
        unsigned depth; /* of folders in folders; deeper ones go to `too_deep` */
        /* 0: goes on; 1: leaves this directory alone. */
        int (*directory)(void *context, int fd, const char *path, enum protect_kind kind, struct err *err);
        /* A protected name, whether there is such a thing or not; also a symbolic link where a directory should be. */
        int (*name)(void *context, int fd, const char *path, const char *name, struct err *err);
        int (*too_deep)(void *context, int fd, const char *path, const char *name, struct err *err);
        /* A directory cannot be opened, errno says why. 0: leaves it alone; 1: tries again. */
        int (*locked)(void *context, int fd, const char *path, const char *name, struct err *err);
};

int protect_walk(int git_dir, const char *path, const struct protect_visitor *visitor, struct arena *arena, struct err *err);

#endif
