/*
 * What a command reads that is written to it while it runs: its end of a pipe, or of its terminal, and what does not fit in
 * there yet. Bounded: a command that does not read keeps nobody waiting, and takes no memory.
 */
#ifndef BAILEY_RUN_INPUT_QUEUE_H
#define BAILEY_RUN_INPUT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { INPUT_QUEUE_MAX = 1 << 20 }; /* bytes that wait, besides those in the pipe */

struct input_queue {
        int fd;       /* -1: not open yet, or not any more */
        bool watched; /* by an epoll: there is something to write */
        bool ending;  /* nothing is added any more; closed when all is written */
        bool unread;  /* the command has closed its end */
        size_t start; /* of what waits, in: */
        struct buf queue;
};

void input_queue_init(struct input_queue *queue);
void input_queue_free(struct input_queue *queue);

/* Makes the pipe; `ret_end` is what the command reads from, and the caller closes it. What waits stays. */
int input_queue_open(struct input_queue *queue, int *ret_end, struct err *err);

/* It is written to this file, which does not block and belongs to the queue from now on. */
void input_queue_attach(struct input_queue *queue, int fd);

/* Can so many bytes be added? ERR_REFUSED: nobody reads them, or too much waits. */
int input_queue_check(const struct input_queue *queue, size_t len, struct err *err);

/* All of it, or nothing. */
int input_queue_add(struct input_queue *queue, struct str text, struct err *err);

/* Bytes that the command has not been given yet. */
size_t input_queue_waiting(const struct input_queue *queue);

/* Writes what can be written now. Returns whether the file is still needed; if it is not, call: */
bool input_queue_give(struct input_queue *queue);
void input_queue_close(struct input_queue *queue);

#endif
