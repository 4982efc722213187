/*
 * Restores covers that the kernel detaches while a command runs because the host renames a file over the covered one: a helper
 * process restores them (launch/cover.h), at a limited rate, and then the new files have to be checked.
 */
#ifndef BAILEY_RUN_COVERS_H
#define BAILEY_RUN_COVERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sandbox/launch.h"

struct covers {
        const struct launch *launch; /* NULL: it covers nothing, or changes are not reported */
        int namespace;               /* where mounts have changed; -1: none so far */
        int helper;                  /* a pidfd of the process that restores covers; -1: none runs */
        int written;             /* readable: a file that was covered again is written to, see cover_watch(); -1: none yet */
        bool lost;               /* some may be missing, and no helper was started for them */
        unsigned written_rounds; /* how often a process had one open for writing after all were restored */
        int64_t patience;        /* how long the helper may take; monotonic, as all of these */
        int64_t even;            /* when the next helper would be due if they came evenly */
        int64_t check_at;        /* when to check the files whose covers were restored; 0: not now */
};

void covers_init(struct covers *covers, const struct launch *launch);

/* Mounts have changed, in `namespace`, which is its own then; -1: not known. */
void covers_changed(struct covers *covers, int namespace);

/* Some covers may be missing without a notification of the kernel: a mount moves with a renamed file. */
void covers_lose(struct covers *covers);

/* Returns the time of the next action; 0: never. */
int64_t covers_deadline(const struct covers *covers);

/* Does what is due. Returns -1 if covers cannot be restored, and the command must not continue. */
int covers_step(struct covers *covers, bool helper_ended, int64_t now, struct err *err);

void covers_end(struct covers *covers);

#endif
