#include "bash/eval/work.h"

static bool spend(struct work *work, uint64_t *left, uint64_t amount) {
        if (work->stop != WORK_GOES_ON)
                return false;
        if (amount > *left) {
                *left = 0;
                work->stop = WORK_TOO_COMPLEX;
                return false;
        }
        *left -= amount;
        return true;
}

static bool take(struct work *work, uint64_t size) {
        work->memory += size;
        if (work->stop == WORK_GOES_ON && work->memory_limit && work->memory > work->memory_limit)
                work->stop = WORK_TOO_COMPLEX;
        return work->stop == WORK_GOES_ON;
}

void *work_alloc(struct work *work, size_t size) {
        void *p = NULL;

        if (take(work, size)) {
                p = arena_alloc(work->arena, size);
                if (!p)
                        work->stop = WORK_NO_MEMORY;
        }
        return p;
}

char *work_bytes(struct work *work, size_t size) {
        char *p;

        if (!work_spend_bytes(work, size) || !take(work, size))
                return NULL;
        p = arena_bytes(work->arena, size);
        if (!p)
                work->stop = WORK_NO_MEMORY;
        return p;
}

bool work_spend(struct work *work, uint64_t steps) {
        return spend(work, &work->steps, steps);
}

bool work_spend_bytes(struct work *work, uint64_t bytes) {
        return spend(work, &work->bytes, bytes);
}

bool work_room(struct work *work, void *items, size_t count, size_t *capacity, size_t size) {
        size_t wanted = *capacity ? *capacity * 2 : 4;
        void *old, *bigger;

        if (count < *capacity)
                return true;
        bigger = work_alloc(work, wanted * size);
        if (!bigger)
                return false;
        memcpy(&old, items, sizeof(old));
        if (count)
                memcpy(bigger, old, count * size);
        memcpy(items, &bigger, sizeof(bigger));
        *capacity = wanted;
        return true;
}
