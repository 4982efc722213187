#include "launch/cgroup_shared.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/cgroup_parts.h"

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

/* Mostly not, for an ordinary user: then there is nothing else to find out. */
static bool may_make(const struct cgroup_places *places) {
        char dir[CGROUP_PATH_SIZE];

        for (int i = 0; i < CGROUP_HIERARCHIES; i++)
                for (size_t n = 0; cgroup_place_parent(&places->at[i], i == CGROUP_AT_UNIFIED, n, dir); n++)
                        if (cgroup_file_writable(dir, ".") == 0)
                                return true;
        return false;
}

/* Only whether there is a limit counts here. */
static int open_kept(struct cgroup_shared *shared, const struct cgroup_places *places, int64_t memory_percent, int64_t pids) {
        char name[CGROUP_NAME_SIZE];

        cgroup_name_kept(memory_percent, pids, name);
        return cgroup_open(places, &(struct cgroup_limits){ memory_percent, pids }, name, &shared->group);
}

static int open_or_make(struct cgroup_shared *shared, const struct cgroup_places *places, int64_t memory_percent, int64_t pids,
                        bool *ret_made, struct err *err) {
        struct cgroup_limits limits = { 0, pids };
        char name[CGROUP_NAME_SIZE];

        if (open_kept(shared, places, memory_percent, pids) == 0)
                return 0;
        limits.memory_bytes = memory_of(places, memory_percent);
        cgroup_name_kept(memory_percent, pids, name);
        *ret_made = true;
        return cgroup_make(places, &limits, name, &shared->group, err);
}

/* All at once, or what can be had of it: kernels may be built or booted without one of them. */
static void find(struct cgroup_shared *shared, bool *ret_made) {
        int64_t percent = shared->memory_percent, pids = shared->pids;
        struct cgroup_places places;
        struct err why = { 0 };

        if (cgroup_places_guess(&places, NULL) < 0 || open_kept(shared, &places, percent, pids) == 0)
                return;
        if (cgroup_places_check(&places, NULL) < 0 || !may_make(&places) ||
            open_or_make(shared, &places, percent, pids, ret_made, &why) == 0)
                return;
        if (why.sys == EACCES || why.sys == EBUSY || !percent || !pids) /* no other would fare better */
                return;
        if (open_or_make(shared, &places, 0, pids, ret_made, &why) < 0)
                open_or_make(shared, &places, percent, 0, ret_made, &why);
}

/* It may have been removed, and another one of the same name created. */
static bool is_there(const struct cgroup *group) {
        if (group->version == CGROUP_V2)
                return faccessat(group->dir_fd, "cgroup.procs", F_OK, 0) == 0;
        for (size_t i = 0; i < sizeof(group->dir) / sizeof(*group->dir); i++)
                if (group->dir[i][0] && access(group->dir[i], F_OK) < 0)
                        return false;
        return true;
}

static bool fits(const struct cgroup_shared *shared, int64_t memory_percent, int64_t pids) {
        return shared->sought && shared->memory_percent == memory_percent && shared->pids == pids && is_there(&shared->group);
}

static void forget(struct cgroup_shared *shared) {
        if (shared->group.version == CGROUP_V2)
                fd_close(shared->group.dir_fd);
        shared->group = (struct cgroup){ .dir_fd = -1 };
}

const struct cgroup *cgroup_shared_get(struct cgroup_shared *shared, int64_t memory_percent, int64_t pids, bool *ret_made) {
        const struct cgroup *group;

        *ret_made = false;
        if (memory_percent == 0 && pids == 0)
                return NULL;
        pthread_mutex_lock(&shared->lock);
        if (!fits(shared, memory_percent, pids)) {
                forget(shared);
                shared->sought = true;
                shared->memory_percent = memory_percent;
                shared->pids = pids;
                find(shared, ret_made);
        }
        group = shared->group.version == CGROUP_NONE ? NULL : &shared->group;
        pthread_mutex_unlock(&shared->lock);
        return group;
}

uint32_t cgroup_shared_limits(struct cgroup_shared *shared) {
        uint32_t limits;

        pthread_mutex_lock(&shared->lock);
        limits = shared->group.limits;
        pthread_mutex_unlock(&shared->lock);
        return limits;
}

uint64_t cgroup_shared_kills(struct cgroup_shared *shared) {
        uint64_t kills = 0;

        pthread_mutex_lock(&shared->lock);
        if (shared->group.version != CGROUP_NONE)
                kills = cgroup_memory_kills(&shared->group);
        pthread_mutex_unlock(&shared->lock);
        return kills;
}

void cgroup_shared_free(struct cgroup_shared *shared) {
        forget(shared);
        pthread_mutex_destroy(&shared->lock);
}
