#include "launch/cgroup_shared.h"

/* There are none; a job holds the limits. */
uint32_t cgroup_probe(void) {
        return 0;
}

void cgroup_shared_init(struct cgroup_shared *shared) {
        *shared = (struct cgroup_shared){ .group = { .dir_fd = -1 } };
}

uint32_t cgroup_shared_limits(struct cgroup_shared *shared) {
        (void)shared;
        return 0;
}

uint64_t cgroup_shared_kills(struct cgroup_shared *shared) {
        (void)shared;
        return 0;
}

void cgroup_shared_free(struct cgroup_shared *shared) {
        (void)shared;
}
