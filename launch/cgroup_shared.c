#include "launch/cgroup_shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/cgroup_parts.h"

enum { SWEEP_SELDOM = 16 };

void cgroup_shared_init(struct cgroup_shared *shared) {
        *shared = (struct cgroup_shared){ .group = { .dir_fd = -1 } };
        pthread_mutex_init(&shared->lock, NULL);
}

/* ---- how much memory there is ---- */

static uint64_t least(uint64_t a, uint64_t b) {
        return b && b < a ? b : a;
}

/* "max" is none. */
static uint64_t number_in(const char *dir, const char *file) {
        char text[64];
        uint64_t value;

        return cgroup_file_read(dir, file, text, sizeof(text)) == 0 && sscanf(text, "%" SCNu64, &value) == 1 ? value : 0;
}

/* v1 tells the least of all above; in v2 it is looked for. */
static uint64_t limit_above(const struct cgroup_places *places, uint64_t most) {
        const struct cgroup_place *v1 = &places->at[CGROUP_AT_MEMORY], *v2 = &places->at[CGROUP_AT_UNIFIED];
        char dir[CGROUP_PATH_SIZE], text[4096];

        if (v1->own[0] && cgroup_file_read(v1->own, "memory.stat", text, sizeof(text)) == 0)
                return least(most, cgroup_text_number(text, "hierarchical_memory_limit"));
        memcpy(dir, v2->own, sizeof(dir));
        for (size_t len = strlen(dir); !v1->own[0] && len > v2->mount_len; len--) {
                if (dir[len] != '/' && dir[len] != 0)
                        continue;
                dir[len] = 0;
                most = least(most, number_in(dir, "memory.max"));
        }
        return most;
}

static int64_t memory_of(const struct cgroup_places *places, int64_t percent) {
        struct sysinfo info;

        if (percent == 0 || sysinfo(&info) < 0)
                return 0;
        return (int64_t)(limit_above(places, (uint64_t)info.totalram * info.mem_unit) / 100 * (uint64_t)percent);
}

/* ---- the group ---- */

/* Once in a while is enough, as hardly one is left behind. */
static bool should_sweep(void) {
        return getpid() % SWEEP_SELDOM == 0;
}

/* All at once, or what can be had of it. */
static void make(struct cgroup_shared *shared) {
        struct cgroup_places places;
        struct cgroup_limits limits = { 0, shared->pids };

        if (cgroup_places_find(&places, NULL) < 0)
                return;
        limits.memory_bytes = memory_of(&places, shared->memory_percent);
        if (cgroup_make(&places, &limits, &shared->group, NULL) == 0 || !limits.memory_bytes || !limits.pids)
                return;
        if (cgroup_make(&places, &(struct cgroup_limits){ .pids = limits.pids }, &shared->group, NULL) < 0)
                cgroup_make(&places, &(struct cgroup_limits){ .memory_bytes = limits.memory_bytes }, &shared->group, NULL);
}

static bool is_there(const struct cgroup *group) {
        for (size_t i = 0; i < sizeof(group->dir) / sizeof(*group->dir); i++)
                if (group->dir[i][0] && access(group->dir[i], F_OK) < 0)
                        return false;
        return true;
}

/* Somebody may have removed it; and after a fork it belongs to the other process. */
static bool fits(const struct cgroup_shared *shared, int64_t memory_percent, int64_t pids) {
        return shared->maker == getpid() && shared->memory_percent == memory_percent && shared->pids == pids &&
               is_there(&shared->group);
}

static void forget(struct cgroup_shared *shared) {
        if (shared->maker == getpid())
                cgroup_leave(&shared->group);
        else if (shared->group.version == CGROUP_V2)
                fd_close(shared->group.dir_fd);
        shared->group = (struct cgroup){ .dir_fd = -1 };
}

const struct cgroup *cgroup_shared_get(struct cgroup_shared *shared, int64_t memory_percent, int64_t pids, bool *ret_sweep) {
        const struct cgroup *group;

        *ret_sweep = false;
        if (memory_percent == 0 && pids == 0)
                return NULL;
        pthread_mutex_lock(&shared->lock);
        if (!fits(shared, memory_percent, pids)) {
                forget(shared);
                *ret_sweep = should_sweep();
                shared->maker = getpid();
                shared->memory_percent = memory_percent;
                shared->pids = pids;
                shared->killed = 0;
                make(shared);
        }
        group = shared->group.version == CGROUP_NONE ? NULL : &shared->group;
        pthread_mutex_unlock(&shared->lock);
        return group;
}

bool cgroup_shared_killed(struct cgroup_shared *shared) {
        uint64_t before, now = 0;

        pthread_mutex_lock(&shared->lock);
        before = shared->killed;
        if (shared->group.version != CGROUP_NONE)
                shared->killed = now = cgroup_memory_kills(&shared->group);
        pthread_mutex_unlock(&shared->lock);
        return now > before;
}

void cgroup_shared_free(struct cgroup_shared *shared) {
        forget(shared);
        pthread_mutex_destroy(&shared->lock);
}
