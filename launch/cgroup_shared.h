/*
 * The cgroup of all commands of a user: limits that hold without anybody having set one. There is one for each pair of limits
 * beside, or in, the cgroup that bailey is in. Whoever needs it first makes it, and it is kept, so that others only look it up:
 * to make and remove one for every command would cost a tenth of a short one. Sandboxes that are made beforehand are in it,
 * too.
 */
#ifndef BAILEY_LAUNCH_CGROUP_SHARED_H
#define BAILEY_LAUNCH_CGROUP_SHARED_H

#include <pthread.h>

#include "launch/cgroup.h"

struct cgroup_shared {
        pthread_mutex_t lock;
        struct cgroup group; /* version CGROUP_NONE: there is none */
        bool sought;         /* with these limits: */
        int64_t memory_percent, pids;
};

void cgroup_shared_init(struct cgroup_shared *shared);

/* The one with these limits, 0: none; it is looked for, or made, at the first call. NULL: none can be had. `ret_made`: it was
 * made, so that what others have left is to be looked for (cgroup_sweep()), when there is time. */
const struct cgroup *cgroup_shared_get(struct cgroup_shared *shared, int64_t memory_percent, int64_t pids, bool *ret_made);

/* CGROUP_*: those that are set, where it was found. */
uint32_t cgroup_shared_limits(struct cgroup_shared *shared);

/* How often has the OOM killer acted in it? For one of the commands in it, whichever. */
uint64_t cgroup_shared_kills(struct cgroup_shared *shared);

/* The group stays. */
void cgroup_shared_free(struct cgroup_shared *shared);

#endif
