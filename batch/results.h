/*
 * The results of a batch: a line of JSON for each job, in the order in which they end, or in that of the jobs. A file of them
 * is also the journal: it shows which jobs have run.
 */
#ifndef BAILEY_BATCH_RESULTS_H
#define BAILEY_BATCH_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { RESULTS_FULL = 16 << 20 }; /* bytes waiting: beyond that no job is started */

struct results {
        int fd; /* not owned */
        const char *name;
        bool in_order;
        uint32_t *marks; /* by line: that of the job whose result is there, 0: there is none */
        size_t room;
        uint64_t before;   /* results that were there when it was opened */
        uint64_t next;     /* in order: the line whose result is the next to be written */
        struct held *held; /* in order: results of later lines, by line */
        size_t held_bytes;
        struct buf queue; /* to be written */
        size_t written;   /* of the queue */
        size_t piece;     /* most bytes of one write, which does not wait then */
};

/* A regular file that is a journal gets a lock, which ends with the descriptor, and what a killed writer has left of a line is
 * removed. */
int results_open(struct results *results, int fd, const char *name, bool journal, bool in_order, struct err *err);
void results_free(struct results *results);

/* Does the job of this line have a result? It is an error if the line has changed since. */
int results_have(const struct results *results, uint64_t line, uint32_t mark, struct err *err);

/* The beginning of a result. The caller adds members and put_end(). */
void result_begin(struct buf *out, uint64_t line, uint32_t mark);

/* Takes the result of a line, and empties the buffer. */
int results_add(struct results *results, uint64_t line, uint32_t mark, struct buf *result, struct err *err);

/* This line has no job. */
int results_skip(struct results *results, uint64_t line, struct err *err);

/* How many bytes wait; and writes what can be written without waiting. -1: it cannot be written. */
size_t results_waiting(const struct results *results);
int results_write(struct results *results, struct err *err);

#endif
