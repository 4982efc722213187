/*
 * What commands may not see of the host: credential stores, other private data, homes of other users.
 */
#ifndef BAILEY_SANDBOX_HOST_HIDE_H
#define BAILEY_SANDBOX_HOST_HIDE_H

#include "sandbox/host.h"

/* Adds the places of policy/credentials.c to the masks: where they usually are, and where the environment moves them. Only the
 * content of those with credentials is `secret`. host_stores.c */
int host_gather_stores(struct host *host, const char *const *environment, struct arena *arena, struct err *err);

/* Notes a home of another user, as the user database has it. host_homes.c */
int host_note_home(struct host *host, struct arena *arena, const char *home, struct err *err);

/* Adds the noted homes to the directories that are emptied, wherever they are; not those of this user, nor directories of the
 * system. Where one directory has many of them, it is emptied as a whole. Fails if they cannot be hidden. host_homes.c */
int host_gather_other_homes(struct host *host, struct arena *arena, struct err *err);

/* ---- of host.c ---- */

/* Returns true if a mask over `path` would cover the workspace, a home of this user, or all of a directory of the system. */
bool host_is_needed(const struct host *host, const char *path);

/* A sentence for the user. */
int host_notice(struct host *host, struct arena *arena, struct err *err, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

#endif
