/*
 * A cgroup for all commands of a session together: limits that hold without anybody having set one. It is made once, so that no
 * command waits for it, and sandboxes that are made beforehand are in it, too.
 */
#ifndef BAILEY_LAUNCH_CGROUP_SHARED_H
#define BAILEY_LAUNCH_CGROUP_SHARED_H

#include <pthread.h>

#include "launch/cgroup.h"

struct cgroup_shared {
        pthread_mutex_t lock;
        struct cgroup group;          /* version CGROUP_NONE: there is none */
        pid_t maker;                  /* who has tried to make one; 0: nobody yet */
        int64_t memory_percent, pids; /* that it was made for */
        uint64_t killed;              /* how often the OOM killer had acted in it when it was last looked */
};

void cgroup_shared_init(struct cgroup_shared *shared);

/* The one with these limits, 0: none; it is made at the first call. NULL: none can be had. `ret_sweep`: what others
 * have left is to be looked for (cgroup_sweep()), when there is time. */
const struct cgroup *cgroup_shared_get(struct cgroup_shared *shared, int64_t memory_percent, int64_t pids, bool *ret_sweep);

/* Has the OOM killer acted since this was last asked? For one of the commands in it, whichever. */
bool cgroup_shared_killed(struct cgroup_shared *shared);

/* What is still busy is left to cgroup_sweep() of the next bailey. */
void cgroup_shared_free(struct cgroup_shared *shared);

#endif
