/*
 * The cgroup of all commands of a user: limits that apply by default. There is one for each pair of limits, beside or in the
 * cgroup of bailey. The first process that needs it creates it, and it is kept, so that others only look it up: creating and
 * removing one for every command would cost a tenth of a short command. Warm sandboxes are in it, too.
 */
#ifndef BAILEY_LAUNCH_CGROUP_SHARED_H
#define BAILEY_LAUNCH_CGROUP_SHARED_H

#include <pthread.h>

#include "launch/cgroup.h"

struct cgroup_shared {
        pthread_mutex_t lock;
        struct cgroup group; /* version CGROUP_NONE: none */
        bool sought;         /* with these limits: */
        int64_t memory_percent, pids;
};

void cgroup_shared_init(struct cgroup_shared *shared);

/* Returns the cgroup with these limits (0: none); the first call finds or creates it. NULL: not available. `ret_made`: it was
 * created, so the caller should call cgroup_sweep() when there is time. */
const struct cgroup *cgroup_shared_get(struct cgroup_shared *shared, int64_t memory_percent, int64_t pids, bool *ret_made);

/* Returns the limits that are set, CGROUP_*, if it was found. */
uint32_t cgroup_shared_limits(struct cgroup_shared *shared);

/* Returns how often the OOM killer acted in it, for any of its commands. */
uint64_t cgroup_shared_kills(struct cgroup_shared *shared);

/* The cgroup itself is kept. */
void cgroup_shared_free(struct cgroup_shared *shared);

#endif
