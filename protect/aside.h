/*
 * Quarantine: files found at protected paths that may be malicious, kept until the user restores or deletes them.
 * STATE/aside/ID contains `item`, the file itself, and `about.json`, which says where it was. Nothing is ever lost: at every
 * moment, even if bailey is killed, the item is complete at one of the two paths.
 *
 *   same file system    it is renamed into the store
 *   another one         it is renamed to NAME.aside-ID in its directory, copied into the store, and removed there
 *   too large to copy   it keeps that name, with a mode that denies all access
 *
 * moving.json is written before anything moves, and renamed to about.json afterwards; a process that lists the store completes
 * interrupted moves.
 */
#ifndef BAILEY_PROTECT_ASIDE_H
#define BAILEY_PROTECT_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum { ASIDE_ID_SIZE = 9 }; /* 8 hexadecimal digits; a unique prefix of an ID is accepted */

struct aside {
        const char *id;
        const char *path; /* where it was, absolute; "": no longer known */
        const char *workspace;
        const char *why;   /* part of a sentence: "it is new, and programs on the host would run it automatically" */
        const char *kind;  /* "file", "directory", "link", "other" */
        const char *where; /* it is kept; NULL: it no longer exists */
        const char *note;  /* how it is kept, if that is unusual; "": nothing to say */
        int64_t at;        /* nanoseconds since 1970 */
};

struct aside_list {
        struct aside *items; /* the newest first */
        size_t count, room;
};

/* Moves the file `name` in the directory `dir`, whose path is `dir_path`, into the store below `state_dir`. ERR_NOT_FOUND: it
 * does not exist. */
int aside_add(const char *state_dir, int dir, const char *dir_path, const char *name, const char *workspace, const char *why,
              char ret_id[static ASIDE_ID_SIZE], struct err *err);

int aside_list(const char *state_dir, struct arena *arena, struct aside_list *ret, struct err *err);

struct aside_restored {
        struct aside aside;
        char replaced[ASIDE_ID_SIZE]; /* ID of the file that was there, which is set aside now; "": none */
};

/* Restores it, and creates missing directories. Follows no symbolic links. Fails if the path exists, or, with `force`, sets the
 * existing file aside. */
int aside_restore(const char *state_dir, const char *id, bool force, struct arena *arena, struct aside_restored *ret,
                  struct err *err);

/* Deletes it permanently. */
int aside_drop(const char *state_dir, const char *id, struct arena *arena, struct aside *ret, struct err *err);

#endif
