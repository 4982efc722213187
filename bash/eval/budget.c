#include "bash/eval/budget.h"

static bool spend(struct budget *budget, uint64_t *left, uint64_t amount) {
        if (budget->stop != BUDGET_GOES_ON)
                return false;
        if (amount > *left) {
                *left = 0;
                budget->stop = BUDGET_TOO_COMPLEX;
                return false;
        }
        *left -= amount;
        return true;
}

static bool take(struct budget *budget, uint64_t size) {
        budget->memory += size;
        if (budget->stop == BUDGET_GOES_ON && budget->memory_limit && budget->memory > budget->memory_limit)
                budget->stop = BUDGET_TOO_COMPLEX;
        return budget->stop == BUDGET_GOES_ON;
}

void *budget_alloc(struct budget *budget, size_t size) {
        void *p = NULL;

        if (take(budget, size)) {
                p = arena_alloc(budget->arena, size);
                if (!p)
                        budget->stop = BUDGET_NO_MEMORY;
        }
        return p;
}

char *budget_bytes(struct budget *budget, size_t size) {
        char *p;

        if (!budget_spend_bytes(budget, size) || !take(budget, size))
                return NULL;
        p = arena_bytes(budget->arena, size);
        if (!p)
                budget->stop = BUDGET_NO_MEMORY;
        return p;
}

bool budget_spend(struct budget *budget, uint64_t steps) {
        return spend(budget, &budget->steps, steps);
}

bool budget_spend_bytes(struct budget *budget, uint64_t bytes) {
        return spend(budget, &budget->bytes, bytes);
}

bool budget_room(struct budget *budget, void *items, size_t count, size_t *capacity, size_t size) {
        size_t wanted = *capacity ? *capacity * 2 : 4;
        void *old, *bigger;

        if (count < *capacity)
                return true;
        bigger = budget_alloc(budget, wanted * size);
        if (!bigger)
                return false;
        memcpy(&old, items, sizeof(old));
        if (count)
                memcpy(bigger, old, count * size);
        memcpy(items, &bigger, sizeof(bigger));
        *capacity = wanted;
        return true;
}
