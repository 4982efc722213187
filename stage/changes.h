/*
 * The content of a stage, compared with the present workspace. Commands have created it: it is walked by descriptors, through
 * no link, within limits.
 */
#ifndef BAILEY_STAGE_CHANGES_H
#define BAILEY_STAGE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/sha256.h"
#include "stage/store.h"

enum stage_kind { STAGE_DELETED, STAGE_CHANGED, STAGE_ADDED };

enum { STAGE_ALONE = SIZE_MAX };

struct stage_change {
        const char *path; /* in the workspace */
        enum stage_kind kind;
        struct stat before, after; /* as far as there is one */
        size_t whole;              /* the change that this one is a part of: the directory that is new, deleted or replaced as a
                                      whole; STAGE_ALONE: of none */
        size_t part_count;         /* number of its parts, which follow it */
        bool replaced;             /* a directory replaces something else, as a whole */
        bool same_content;         /* only the mode, the times, the owner or attributes differ */
        const char *conflict;      /* how it changed in the workspace since it was staged; NULL: not at all */
        const char *protected_by;  /* why it is only applied on request; NULL: it is applied */
};

struct stage_changes {
        struct stage_change *items; /* sorted by path, whole ones before their parts */
        size_t count, room;
        size_t counts[3]; /* by kind; without directories, unless they are empty or only they themselves differ */
        uint64_t bytes;   /* of new content */
        char digest[SHA256_HEX_SIZE];
};

struct stage_compare {
        const struct stage *stage;
        const char *(*guards)(const char *path, bool directory); /* why this path is protected; NULL: it is not. May be NULL */
};

/* Both directories, for further use. */
struct stage_roots {
        int upper, base;
};
int stage_open_roots(const struct stage *stage, struct stage_roots *ret, struct err *err);
void stage_close_roots(struct stage_roots *roots);

int stage_changes_find(const struct stage_compare *compare, const struct stage_roots *roots, struct arena *arena,
                       struct stage_changes *ret, struct err *err);

/* Is the change listed? A directory is only listed if it has no listed parts. */
bool stage_is_told(const struct stage_changes *changes, size_t i);

/* Opens what is at a path below a directory, through no link; "" is the directory itself. -1 and errno. */
int stage_open_beneath(int root, const char *path, int flags);

/* Opens the directory that a path is in, and returns its last name. */
int stage_open_above(int root, const char *path, const char **ret_name);

#endif
