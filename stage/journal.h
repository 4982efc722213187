/*
 * The steps of applying a stage to its workspace, written to a journal before the first step, so that they are completed
 * or reverted after an interruption; kept with the replaced files, so that they can be undone.
 *
 *     STATE/undo/ID/journal   the steps
 *     STATE/undo/ID/old/N     what step N replaced or deleted; after `undo`, what was in its place
 *     STATE/undo/ID/done      as old as the end
 *     STATE/undo/ID/undoing, undone
 *
 * Everything is on one file system: a step is a rename, which has happened or not, and the inode tells which.
 */
#ifndef BAILEY_STAGE_JOURNAL_H
#define BAILEY_STAGE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum stage_step_kind {
        STEP_MOVE = 'N',      /* from the stage to a new path */
        STEP_EXCHANGE = 'X',  /* from the stage, exchanged with the old file */
        STEP_DELETE = 'D',    /* what was there */
        STEP_DIRECTORY = 'M', /* is made */
        STEP_MODE = 'A',      /* of a directory */
        STEP_TIMES = 'T',     /* of a directory, after all others */
};

struct stage_step {
        enum stage_step_kind kind;
        const char *path;
        ino_t after, before; /* inodes; 0: none */
        mode_t after_mode, before_mode;
        struct timespec after_time, before_time;
};

struct stage_journal {
        const char *workspace;
        const char *stage; /* path of its directory */
        const char *name;  /* of the stage */
        uint64_t bytes;    /* of what is replaced or deleted */
        struct stage_step *steps;
        size_t count, room;
};

int stage_journal_add(struct stage_journal *journal, const struct stage_step *step, struct arena *arena, struct err *err);
void stage_journal_write(const struct stage_journal *journal, struct buf *out);
int stage_journal_read(struct str text, struct arena *arena, struct stage_journal *ret, struct err *err);

/* Where its steps are done. */
struct stage_journal_place {
        int directory; /* STATE/undo/ID */
        int old;       /* the directory `old` in it */
        int base, upper;
};

/* Executes all steps, also if some are already done. If one fails, those before it are reverted to the stage. */
int stage_journal_do(const struct stage_journal *journal, const struct stage_journal_place *place, struct err *err);

/* Reverts all steps, also if some are already reverted; the files that they brought are kept. */
int stage_journal_undo(const struct stage_journal *journal, const struct stage_journal_place *place, struct err *err);

#endif
