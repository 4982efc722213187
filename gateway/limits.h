/*
 * What a process takes from itself before it reads bytes of others: memory past some amount, files, capabilities, and all
 * system calls but some. It is not dumpable, executes nothing and maps no code.
 */
#ifndef BAILEY_GATEWAY_LIMITS_H
#define BAILEY_GATEWAY_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "launch/inside.h"

enum { LIMITS_CALLS_MAX = 96 };

struct limits {
        const struct landlock_rule *rules; /* files that it may read */
        size_t rule_count;
        const int *calls; /* beside mmap() and mprotect() without code */
        size_t call_count;
        bool sockets; /* it may make sockets of the internet */
};

/* In two steps, between which it can still change its user. */
int limits_begin(const struct limits *limits, struct err *err);
int limits_finish(const struct limits *limits, struct err *err);

/* Ignores the signals of terminals: they are for the engine, which ends this process when it is done. */
void limits_signals(void);

/* Raises the limit of open files as far as it goes. Returns how many connections, of two files each, that is room for beside
 * `spare` files: one at least, `max` at most. */
size_t limits_connections(size_t spare, size_t max);

/* The kernel kills this process when the last end for writing of this pipe is closed: one that is stopped cannot see that
 * another one ends. */
int limits_end_with_pipe(int fd, struct err *err);

#endif
