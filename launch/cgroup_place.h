/*
 * Where our own cgroup is: /proc/self/cgroup names it, /proc/self/mountinfo says under which directory. Only looks.
 */
#ifndef BAILEY_LAUNCH_CGROUP_PLACE_H
#define BAILEY_LAUNCH_CGROUP_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Paths of cgroups are mounts, slices and scopes; one that is longer counts as not there. */
enum { CGROUP_PATH_SIZE = 1024 };

enum { CGROUP_AT_MEMORY, CGROUP_AT_PIDS, CGROUP_AT_UNIFIED, CGROUP_HIERARCHIES };

struct cgroup_place {
        bool listed;                 /* /proc/self/cgroup has it: a controller listed for v1 is not to be had in v2 */
        size_t mount_len;            /* of `own`: where it is mounted */
        char path[CGROUP_PATH_SIZE]; /* as listed */
        char own[CGROUP_PATH_SIZE];  /* the directory of our own cgroup; "": not mounted, read-only, or out of sight */
};

struct cgroup_places {
        struct cgroup_place at[CGROUP_HIERARCHIES];
};

/* From two files in the format of /proc/self/cgroup and /proc/self/mountinfo, up to 4 MiB of each. */
void cgroup_places_read(int own_fd, int mounts_fd, struct cgroup_places *ret);

/* The same of this process. */
int cgroup_places_find(struct cgroup_places *ret, struct err *err);

/* The same, supposing that they are mounted where systemd and most others do it: costs a fifth. What is to be made there is
 * made after cgroup_places_check(), which looks, and if they are not, does cgroup_places_find(). */
int cgroup_places_guess(struct cgroup_places *ret, struct err *err);
int cgroup_places_check(struct cgroup_places *places, struct err *err);

/* The n-th directory in which a new cgroup may be made, best first; false when there are no more. `unified`: a cgroup
 * with processes in it cannot share out memory, so the parent of our own comes first, and after our own the root of the
 * mount, to which that rule does not apply. In v1 it is our own. */
bool cgroup_place_parent(const struct cgroup_place *place, bool unified, size_t n, char ret[static CGROUP_PATH_SIZE]);

#endif
