/*
 * Files that commands of a workspace have written in their home. Commands choose the names: these may contain any bytes.
 */
#ifndef BAILEY_HOME_CHANGES_H
#define BAILEY_HOME_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "policy/policy.h"

enum home_change_kind {
        HOME_ADDED,
        HOME_CHANGED, /* the user's home has a file of this name, which commands saw before */
        HOME_DELETED, /* the same, and they no longer see it */
};

struct home_change {
        const char *path; /* in the home directory */
        enum home_change_kind kind;
        bool settings; /* one of those that are copied, or would be */
        bool opened;   /* false: a directory that could not be listed; what is in it is not known */
        unsigned type; /* S_IFREG, S_IFDIR, ...; of what was deleted 0 */
        uint64_t bytes;
};

struct home_changes {
        const struct home_change *items; /* by path */
        size_t count;
        uint64_t left_out,
                left_out_bytes; /* the smallest; settings and deletions are not among them unless there are too many */
        bool complete;          /* false: there may be more */
};

struct home_changes_request {
        int layer;
        const char *home;     /* the user's */
        struct str_list show; /* in addition to shown.c, as in home.h */
        size_t limit;         /* of items */
        int64_t deadline;     /* monotonic */
};

/* Empty directories are not listed. */
int home_changes_find(const struct home_changes_request *request, struct arena *arena, struct home_changes *ret,
                      struct err *err);

#endif
