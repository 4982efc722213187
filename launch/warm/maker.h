/*
 * A process that creates warm sandboxes for its parent. It holds the plan of one launch, so a request is just "create one
 * more"; the parent does not wait for it.
 */
#ifndef BAILEY_LAUNCH_MAKER_H
#define BAILEY_LAUNCH_MAKER_H

#include "launch/warm/warm.h"

struct maker {
        pid_t pid;
        int pidfd;
        int socket; /* readable: one is ready, or it has ended */
};

/* Starts the maker. `places`: warm_places(). */
int maker_start(const struct launch *launch, const struct mount_places *places, struct maker *ret, struct err *err);

/* Requests one more sandbox. Does not wait. */
int maker_ask(const struct maker *maker);

/* Takes one that is ready. Returns 1; 0: none is ready yet; -1: the maker has failed; ESTALE: a path now leads to another file.
 */
int maker_take(const struct maker *maker, struct warm *ret, struct err *err);

/* Ends the maker. May wait for a moment for a sandbox that is being created. */
void maker_end(struct maker *maker);

#endif
