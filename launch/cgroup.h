/*
 * A cgroup for one command: limits on its memory and processes, and a way to kill all of it. cgroup v2 where it has the
 * controllers, else v1; as root, or as a user to whom a part of the tree is delegated. Nothing is allocated or kept
 * between calls, so that all of it may be used around a fork.
 *
 * In v2 only a cgroup without processes of its own may share out memory, so the new one is a sibling of ours, not a
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

/* What a cgroup should hold; 0: no limit. Memory includes swap. A thread counts as a pid. */
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

/* Which limits can be had here, all of them in one cgroup. Really tries: makes one, sets them and removes it. */
uint32_t cgroup_probe(void);

/* Makes one and sets the limits. Without any limit it is one that can only be killed, which v1 does not offer. The name
 * is "bailey-<pid>-<pid namespace>-<random>". */
int cgroup_new(const struct cgroup_limits *limits, struct cgroup *ret, struct err *err);

/* The same for who knows the places already, and limits that make sense. With `kept`, a name, it is the one of this name: it is
 * made unless it is there, and stays. */
int cgroup_make(const struct cgroup_places *places, const struct cgroup_limits *limits, const char *kept, struct cgroup *ret,
                struct err *err);

/* The kept one of this name, if it is there with its limits set; needs no more than a few look-ups. Only which limits are
 * wanted counts, not their values. */
int cgroup_open(const struct cgroup_places *places, const struct cgroup_limits *limits, const char *kept, struct cgroup *ret);

/* Moves a process in; not needed after CLONE_INTO_CGROUP. Pid 0 is the caller, who must have only one thread: v1 has a
 * quick way for that (Linux 5.6), where moving somebody else may wait 10 ms for all processors. */
int cgroup_add(const struct cgroup *cg, pid_t pid, struct err *err);

/* How often did the OOM killer act in it? Never without a memory limit. */
uint64_t cgroup_memory_kills(const struct cgroup *cg);

/* Kills all that is in it and waits, at most 200 ms, until it is gone. */
void cgroup_kill(const struct cgroup *cg);

/* Waits at most 400 ms for what is still exiting; one that stays busy is left to cgroup_sweep(). */
void cgroup_remove(struct cgroup *cg);

/* The same without waiting. */
void cgroup_leave(struct cgroup *cg);

/* Removes empty cgroups beside ours: those that a killed bailey left, whose pid no longer lives in this pid namespace, and kept
 * ones that are older than an hour. Costs about as much as making one, so do it while a command runs. */
void cgroup_sweep(void);

#endif
