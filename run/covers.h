/*
 * Covers that the host takes away while a command runs, by renaming a file over the one that is covered: they are put back by
 * a process of its own (launch/cover.h), one after the other and not too often, and then what is there now has to be judged.
 */
#ifndef BAILEY_RUN_COVERS_H
#define BAILEY_RUN_COVERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sandbox/launch.h"

struct covers {
        const struct launch *launch; /* NULL: it covers nothing, or its kind cannot tell */
        int namespace;               /* where mounts have changed; -1: nowhere so far */
        int helper;                  /* a pidfd of who puts covers back; -1: nobody does */
        int written;             /* readable: a file that was covered again is written to, see cover_watch(); -1: none yet */
        bool lost;               /* some may be gone, and nobody has begun to put them back */
        unsigned written_rounds; /* how often somebody had one open for writing when all were back */
        int64_t patience;        /* how long the helper may take; monotonic, as all of these */
        int64_t even;            /* when the next helper would be due if they came evenly */
        int64_t check_at;        /* covers were put back, and from then on somebody should judge; 0: not now */
};

void covers_init(struct covers *covers, const struct launch *launch);

/* Reads what pid 1 tells by its control socket. False: it tells nothing any more. */
bool covers_hear(struct covers *covers, int control);

/* Some may be gone without a word of the kernel: a mount goes with a file that is renamed. */
void covers_lose(struct covers *covers);

/* When something is due in any case; 0: never. */
int64_t covers_deadline(const struct covers *covers);

/* Does what is due. -1: covers cannot be put back, and the command must not go on. */
int covers_step(struct covers *covers, bool helper_ended, int64_t now, struct err *err);

void covers_end(struct covers *covers);

#endif
