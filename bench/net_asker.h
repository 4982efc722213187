/*
 * A bench_net somewhere, that is asked for one thing after the other.
 */
#ifndef BAILEY_BENCH_NET_ASKER_H
#define BAILEY_BENCH_NET_ASKER_H

#include "bench/bench.h"

struct asker {
        const char *name; /* where it is, for people */
        pid_t pid;
        int in, out;
        bool ended; /* it is not asked any more */
        struct samples taken;
};

void asker_start(struct asker *asker, const struct bench *bench, const char *name, const char *const *argv);

/* Ends it, and waits for that. */
void asker_stop(struct asker *asker);

/* How many nanoseconds a line took; -1: it has ended. */
int64_t ask(const struct asker *asker, const char *line);

/* All of them that have not ended, that many times. */
void ask_in_turns(struct asker *askers, size_t count, const char *line, size_t times);

#endif
