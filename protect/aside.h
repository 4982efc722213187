/*
 * What was found at a protected place and may be a plant, kept until the user decides: STATE/aside/ID holds `item`, the thing
 * itself, and `about.json`, which says where it was. Nothing is ever lost: at every moment, also when bailey is killed, it is
 * whole at one of the two places.
 *
 *   same file system    it is renamed into the store
 *   another one         it is renamed to NAME.aside-ID beside its place, copied into the store, and removed there
 *   too large to copy   it stays under that name, with a mode that lets nobody in
 *
 * It is written before anything moves, as moving.json, and renamed afterwards; whoever lists the store finishes what was cut
 * short.
 */
#ifndef BAILEY_PROTECT_ASIDE_H
#define BAILEY_PROTECT_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum { ASIDE_ID_SIZE = 9 }; /* 8 hexadecimal digits; where an ID is asked for, its first ones do */

struct aside {
        const char *id;
        const char *path; /* where it was, absolute; "" when that cannot be told any more */
        const char *workspace;
        const char *why;   /* part of a sentence: "new at a protected place while a command ran" */
        const char *kind;  /* "file", "directory", "link", "other" */
        const char *where; /* it is kept; NULL: it is no longer there */
        const char *note;  /* what is to be known of how it is kept; "" for nothing */
        int64_t at;        /* nanoseconds since 1970 */
};

struct aside_list {
        struct aside *items; /* the newest first */
        size_t count;
};

/* Moves what stands at `name` in the directory `dir`, whose path is `dir_path`, into the store below `state_dir`, whole.
 * ERR_NOT_FOUND when nothing stands there. */
int aside_add(const char *state_dir, int dir, const char *dir_path, const char *name, const char *workspace, const char *why,
              char ret_id[static ASIDE_ID_SIZE], struct err *err);

int aside_list(const char *state_dir, struct arena *arena, struct aside_list *ret, struct err *err);

struct aside_restored {
        struct aside aside;
        char replaced[ASIDE_ID_SIZE]; /* what stood there, which is set aside now; "" for nothing */
};

/* Puts it back, and makes directories that are missing. Follows no symbolic links. What stands there now is an error, or, with
 * `force`, set aside itself. */
int aside_restore(const char *state_dir, const char *id, bool force, struct arena *arena, struct aside_restored *ret,
                  struct err *err);

/* Removes it for good. */
int aside_drop(const char *state_dir, const char *id, struct arena *arena, struct aside *ret, struct err *err);

#endif
