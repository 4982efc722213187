/*
 * A sweep on its way: for sweep.c, sweep_git.c and sweep_nested.c only.
 */
#ifndef BAILEY_RUN_SWEEP_INSIDE_H
#define BAILEY_RUN_SWEEP_INSIDE_H

#include "run/sweep.h"

struct sweep {
        const struct protection *before;
        struct arena *arena;
        int64_t until, deadline;
        bool keep;    /* what is new is moved aside */
        bool devices; /* their numbers are those of the survey: they may change when the machine starts again */
        struct str *said;
        size_t count, room;
        struct err *err;
        bool failed;
        const char *worktree;      /* a new linked worktree whose names are being swept; that very pointer */
        struct sweep_swept *swept; /* git directories that new pointers led to */
};

void sweep_failed(struct sweep *s, const struct err *why, const char *path);
void sweep_no_memory(struct sweep *s, const char *path);

/* As protect_stat(), also in a directory that was locked against us. Not being able to look is a failure, and is told. */
int sweep_look(struct sweep *s, int fd, const char *path, const char *name, struct protected_path *ret, bool *ret_link);

/* A command could have changed what is directly in this directory. */
bool sweep_reachable(const struct sweep *s, const char *path);

/* Opens the first `len` bytes of a path, a name at a time and without links; -1 when it is not there. */
int sweep_open_path(struct sweep *s, const char *path, size_t len);

const char *sweep_join(struct sweep *s, const char *path, const char *name);

/* Something of that name is a file that holds just this. */
bool sweep_has_content(int fd, const char *name, struct str content);

/* False when it could not be done. */
bool sweep_aside(struct sweep *s, int fd, const char *path, const char *name, const char *why_so);

/* What was not there goes: `name` in the directory `path`. */
void sweep_name(struct sweep *s, int fd, const char *path, const char *name);

/* A git directory with all that is in it. sweep_git.c */
void sweep_git_dir(struct sweep *s, int fd, const char *path);

/* The `.git` of a directory, if it is not known. */
void sweep_dot_git(struct sweep *s, int fd, const char *path);

/* All that were there before, but for those that are swept even if there was none: the workspace and this `.git`. */
void sweep_git_dirs(struct sweep *s, const char *dot_git);

/* Repositories that came into being in the workspace, or that gitlinks now lead to. sweep_nested.c */
void sweep_nested(struct sweep *s, int workspace);

/* A new file `.git` in a directory below the workspace. */
void sweep_pointer(struct sweep *s, int fd, const char *path);

#endif
