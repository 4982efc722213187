/*
 * Applied changes, kept for undo, for STAGE_UNDO_DAYS and up to STAGE_UNDO_BYTES in total; the last one in any
 * case. Also interrupted ones.
 */
#ifndef BAILEY_STAGE_UNDO_H
#define BAILEY_STAGE_UNDO_H

#include "stage/journal.h"

enum { STAGE_UNDO_DAYS = 7, UNDO_ID_LENGTH = 8 };

#define STAGE_UNDO_BYTES ((uint64_t)4 << 30)

struct stage_undo {
        char id[UNDO_ID_LENGTH + 1];
        int directory, old;
};

/* Only one process of the user applies or undoes at a time. Returns the lock, on STATE/undo. */
int stage_undo_lock(const char *state, int *ret_fd, struct err *err);

/* With the lock: finishes what was interrupted, or takes it back. Sets aside nothing that cannot be read: it is an error. */
int stage_recover(int undo, struct err *err);

/* The same, without waiting. Does nothing if nothing was ever applied. */
int stage_recover_now(const char *state, struct err *err);

/* Carries the journal out, and keeps it. */
int stage_undo_begin(int undo, const struct stage_journal *journal, int upper, int base, struct stage_undo *ret,
                     struct err *err);
/* What has been done to it by bailey itself up to now is no change since it was applied. */
int stage_undo_settle(const struct stage_undo *undo, struct err *err);
void stage_undo_close(struct stage_undo *undo);

/* Lists applied changes, newest first. */
struct stage_undo_item {
        char id[UNDO_ID_LENGTH + 1];
        const char *name, *workspace;
        int64_t done; /* realtime, nanoseconds */
        uint64_t bytes;
        size_t steps;
        bool undone;
};
struct stage_undo_list {
        struct stage_undo_item *items;
        size_t count, room;
};
int stage_undo_list(int undo, struct arena *arena, struct stage_undo_list *ret, struct err *err);

/* With the lock. What has changed in the workspace since is an error that names it, unless `force`: then it is kept in place of
 * what is put back. */
int stage_undo_take(int undo, const char *id, bool force, struct arena *arena, struct err *err);

/* With the lock: removes journals that are too old, or exceed the size. */
void stage_undo_prune(int undo);

#endif
