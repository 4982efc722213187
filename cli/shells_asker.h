/*
 * What runs now, asked from other processes: one that is stopped answers late or never, and whoever serves a page must not
 * wait for it. So a child does the asking.
 */
#ifndef BAILEY_CLI_SHELLS_ASKER_H
#define BAILEY_CLI_SHELLS_ASKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct shells_asker {
        pid_t pid;
        int fd;     /* readable when there is something to take; -1: the child is gone */
        bool asked; /* and not answered yet */
        uint32_t size;
        size_t got;      /* bytes of the answer, its size in front included */
        struct buf next; /* that answer */
        struct buf last; /* the one before: JSON, an array of sessions, or the text why there is none; empty: none yet */
        int64_t last_time;
};

int shells_asker_start(struct shells_asker *asker, struct err *err);
void shells_asker_end(struct shells_asker *asker);

/* Has the child look again, unless it does already. */
void shells_asker_ask(struct shells_asker *asker);

/* Takes what there is, without waiting. */
void shells_asker_take(struct shells_asker *asker);

#endif
