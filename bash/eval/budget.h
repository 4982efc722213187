/*
 * What an analysis may spend: memory from the caller's arena, steps, and bytes of text made. When one of them runs out the
 * analysis stops, and says so; nobody gets a wrong answer, or waits.
 */
#ifndef BAILEY_EVAL_BUDGET_H
#define BAILEY_EVAL_BUDGET_H

#include <stdint.h>

#include "base/arena.h"

enum budget_stop {
        BUDGET_GOES_ON,
        BUDGET_NO_MEMORY,
        BUDGET_TOO_COMPLEX,
};

struct budget {
        struct arena *arena;
        uint64_t steps;                /* left */
        uint64_t bytes;                /* left, of texts and lists that are made while expanding */
        uint64_t memory, memory_limit; /* taken from the arena, and at most; 0: only the arena's own limit counts */
        enum budget_stop stop;
};

/* Zeroed memory, or NULL, and then the work has stopped. */
void *budget_alloc(struct budget *budget, size_t size);
char *budget_bytes(struct budget *budget, size_t size);
#define BUDGET_NEW(budget, type) ((type *)budget_alloc((budget), sizeof(type)))

/* False when the work has stopped, now or before. */
bool budget_spend(struct budget *budget, uint64_t steps);
bool budget_spend_bytes(struct budget *budget, uint64_t bytes);

/* A growable array in an arena: room for one more at *items, which may move. False without memory. */
bool budget_room(struct budget *budget, void *items, size_t count, size_t *capacity, size_t size);

#endif
