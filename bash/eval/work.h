/*
 * What an analysis may spend: memory from the caller's arena, steps, and bytes of text made. When one of them runs out the
 * analysis stops, and says so; nobody gets a wrong answer, or waits.
 */
#ifndef BAILEY_SHELL_WORK_H
#define BAILEY_SHELL_WORK_H

#include <stdint.h>

#include "base/arena.h"

enum work_stop {
        WORK_GOES_ON,
        WORK_NO_MEMORY,
        WORK_TOO_COMPLEX,
};

struct work {
        struct arena *arena;
        uint64_t steps;                /* left */
        uint64_t bytes;                /* left, of texts and lists that are made while expanding */
        uint64_t memory, memory_limit; /* taken from the arena, and at most; 0: only the arena's own limit counts */
        enum work_stop stop;
};

/* Zeroed memory, or NULL, and then the work has stopped. */
void *work_alloc(struct work *work, size_t size);
char *work_bytes(struct work *work, size_t size);
#define WORK_NEW(work, type) ((type *)work_alloc((work), sizeof(type)))

/* False when the work has stopped, now or before. */
bool work_spend(struct work *work, uint64_t steps);
bool work_spend_bytes(struct work *work, uint64_t bytes);

/* A growable array in an arena: room for one more at *items, which may move. False without memory. */
bool work_room(struct work *work, void *items, size_t count, size_t *capacity, size_t size);

#endif
