/*
 * Carries a command's output to where it should go, and its input from where it comes. Only a pipe is handed to a command as it
 * is: through a terminal it could read what is typed and change its settings, through a file it could read and cut what others
 * wrote there, or write to what it may only read, through a socket it could hear the other side.
 */
#ifndef BAILEY_RUN_RELAY_H
#define BAILEY_RUN_RELAY_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "run/output_quota.h"
#include "run/stream.h"

enum {
        RELAY_SIZE = 64 << 10,
        RELAY_TERMINAL_CHUNK = 4 << 10, /* a terminal that can take some may not take more without waiting */
};

struct relay {
        int from, to; /* from < 0: none, or ended; to < 0: all of the input was carried */
        bool input;   /* it carries to the command: `to` is its own, and closed at the end of the input */
        int unread;   /* also reads what the command reads of a file, to count what it has not; -1: it is no file */
        struct output_quota *quota; /* of what it carries; NULL: none */
        struct stream *seen;        /* gets a copy of that; NULL: none */
        size_t start, end;
        char data[RELAY_SIZE];
};

/* Returns true if a command may have this fd itself: a pipe without a name, or /dev/null. One with a name could be opened again
 * by it, the other way round. */
bool relay_needless(int fd);

/* Returns true if what is written there goes nowhere: it is /dev/null. */
bool relay_discards(int fd);

/* Returns true if both are the same file: then one relay serves both, which preserves the order. */
bool relay_same(int a, int b);

/* `ret_end` is what the command writes to; the caller closes it. */
int relay_open(struct relay *relay, int to, int *ret_end, struct err *err);

/* `ret_end` is what the command reads from; the caller closes it. `from` remains the caller's. What the command has not read of
 * a file is there for the next one that reads it, as if there were no relay. */
int relay_open_input(struct relay *relay, int from, int *ret_end, struct err *err);
void relay_close(struct relay *relay);

/* What to wait for, and what to do then. When the other side takes no more, the command's end breaks, as it would without us.
 */
struct pollfd relay_poll(const struct relay *relay);
void relay_step(struct relay *relay, const struct pollfd *polled);

/* Copies the rest after all writers have exited, until `deadline` (monotonic). */
void relay_drain(struct relay *relay, int64_t deadline);

#endif
