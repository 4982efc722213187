/*
 * A process that makes sandboxes beforehand, for the one that has forked it. It has the walls of one launch in its memory, so
 * that nothing has to be told but "one more"; the process itself goes on with its work meanwhile.
 */
#ifndef BAILEY_LAUNCH_MAKER_H
#define BAILEY_LAUNCH_MAKER_H

#include "launch/warm/warm.h"

struct maker {
        pid_t pid;
        int pidfd;
        int socket; /* readable: one is ready, or it has ended */
};

/* On failure there is none. `places`: warm_places(). */
int maker_start(const struct launch *launch, const struct mount_places *places, struct maker *ret, struct err *err);

/* One more. Does not wait. */
int maker_ask(const struct maker *maker);

/* Takes one that is ready. 0: there is none yet. -1: there will be none any more; ESTALE: as a path leads to another file now.
 */
int maker_take(const struct maker *maker, struct warm *ret, struct err *err);

/* May have to wait for one that is just being made, but not for long. */
void maker_end(struct maker *maker);

#endif
