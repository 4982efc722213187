/*
 * Locates our own cgroup: /proc/self/cgroup names it, /proc/self/mountinfo says under which directory. Changes nothing.
 */
#ifndef BAILEY_LAUNCH_CGROUP_PLACE_H
#define BAILEY_LAUNCH_CGROUP_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Paths of cgroups are mounts, slices and scopes; a longer path counts as missing. */
enum { CGROUP_PATH_SIZE = 1024 };

enum { CGROUP_AT_MEMORY, CGROUP_AT_PIDS, CGROUP_AT_UNIFIED, CGROUP_HIERARCHIES };

struct cgroup_place {
        bool listed;                 /* in /proc/self/cgroup: a controller listed for v1 is not available in v2 */
        size_t mount_len;            /* of `own`: where it is mounted */
        char path[CGROUP_PATH_SIZE]; /* as listed */
        char own[CGROUP_PATH_SIZE];  /* the directory of our own cgroup; "": not mounted, read-only, or not visible */
};

struct cgroup_places {
        struct cgroup_place at[CGROUP_HIERARCHIES];
};

/* From two files in the format of /proc/self/cgroup and /proc/self/mountinfo, up to 4 MiB of each. */
void cgroup_places_read(int own_fd, int mounts_fd, struct cgroup_places *ret);

/* The same of this process. */
int cgroup_places_find(struct cgroup_places *ret, struct err *err);

/* The same, assuming the usual mount points of systemd: costs a fifth. Before anything is created there, call
 * cgroup_places_check(), which verifies the assumption, and if it is wrong, calls cgroup_places_find(). */
int cgroup_places_guess(struct cgroup_places *ret, struct err *err);
int cgroup_places_check(struct cgroup_places *places, struct err *err);

/* The n-th directory in which a new cgroup may be created, best first; false: no more. `unified`: controllers cannot be enabled
 * in a cgroup with processes, so the parent of our own comes first, and after our own the root of the
 * mount, to which that rule does not apply. In v1 it is our own. */
bool cgroup_place_parent(const struct cgroup_place *place, bool unified, size_t n, char ret[static CGROUP_PATH_SIZE]);

#endif
