/*
 * A cgroup for one command: limits on its memory and processes, and an operation that kills all of them. Uses cgroup v2
 * if it has the controllers, else v1; as root, or as a user to whom a part of the tree is delegated. Nothing is allocated or
 * kept between calls, so all functions may be used around a fork.
 *
 * In v2 controllers can be enabled only in a cgroup without processes, so the new one is a sibling of ours, not a
 * child: what limits our own cgroup does not limit the command, what limits its parent does.
 */
#ifndef BAILEY_LAUNCH_CGROUP_H
#define BAILEY_LAUNCH_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "launch/cgroup_place.h"

enum { CGROUP_MEMORY = 1 << 0, CGROUP_PIDS = 1 << 1 };

/* The limits of a cgroup; 0: no limit. Memory includes swap. A thread counts as a pid. */
struct cgroup_limits {
        int64_t memory_bytes, pids;
};

enum cgroup_version { CGROUP_NONE, CGROUP_V1, CGROUP_V2 };

struct cgroup {
        enum cgroup_version version;
        uint32_t limits;               /* CGROUP_*: those that are set */
        int dir_fd;                    /* v2: for CLONE_INTO_CGROUP (Linux 5.7); else -1 */
        char dir[2][CGROUP_PATH_SIZE]; /* v1: by CGROUP_AT_MEMORY and CGROUP_AT_PIDS, "" when not limited; v2: the first */
};

/* Returns which limits are available here, all in one cgroup. Creates one, sets the limits and removes it. */
uint32_t cgroup_probe(void);

/* Creates one and sets the limits. Without any limit it can only be killed, which v1 does not support. The name
 * is "bailey-<pid>-<pid namespace>-<random>". */
int cgroup_new(const struct cgroup_limits *limits, struct cgroup *ret, struct err *err);

/* Like cgroup_new(), for callers that have already located the cgroups and validated the limits. With `kept`, a name, it is the
 * cgroup of this name: it is created unless it exists, and is kept. */
int cgroup_make(const struct cgroup_places *places, const struct cgroup_limits *limits, const char *kept, struct cgroup *ret,
                struct err *err);

/* Finds the kept cgroup of this name, if it exists with its limits set; costs only a few look-ups. Only the set of limits
 * counts, not their values. */
int cgroup_open(const struct cgroup_places *places, const struct cgroup_limits *limits, const char *kept, struct cgroup *ret);

/* Moves a process in; not needed after CLONE_INTO_CGROUP. Pid 0 is the caller, which must have only one thread: v1 has a
 * fast path for that (Linux 5.6), while moving another process may wait 10 ms for all processors. */
int cgroup_add(const struct cgroup *cg, pid_t pid, struct err *err);

/* Returns how often the OOM killer acted in it. 0 without a memory limit. */
uint64_t cgroup_memory_kills(const struct cgroup *cg);

/* Kills all processes in it and waits, at most 200 ms, until they are gone. */
void cgroup_kill(const struct cgroup *cg);

/* Removes it. Waits at most 400 ms for exiting processes; a cgroup that is still busy is left to cgroup_sweep(). */
void cgroup_remove(struct cgroup *cg);

/* The same without waiting. */
void cgroup_leave(struct cgroup *cg);

/* Removes empty sibling cgroups: those that a killed bailey process left, whose pid no longer exists in this pid namespace, and
 * kept ones that are older than an hour. Costs about as much as creating one, so do it while a command runs. */
void cgroup_sweep(void);

#endif
