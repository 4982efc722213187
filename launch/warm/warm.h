/*
 * A sandbox that was made before anybody needed it. It waits inside its walls for one command, and is never used for another.
 *
 * What it has of the world is what there was when it was made: whoever wants to use it has to know that a new one would be the
 * same. For that there is a key of all that it was made of, and two files that tell of mounts which have changed since: its own
 * are undone by the kernel when somebody replaces what is mounted over.
 */
#ifndef BAILEY_LAUNCH_WARM_H
#define BAILEY_LAUNCH_WARM_H

#include "launch/start.h"

struct warm {
        struct launched launched;
        int work;   /* where the command is handed over */
        int mounts; /* /proc/self/mountinfo of inside */
};

/* Can the walls of this launch be made beforehand? */
bool warm_possible(const struct launch *launch);

/* Can the command of this one be handed over? */
bool warm_fits(const struct launch *launch);

/* All that is made beforehand: the plan but for its command and where that starts, and which files its paths lead to now. */
void warm_key(const struct launch *launch, struct buf *out);

/* Of a key, at the beginning of memory of its own: these files, one for each mount. */
const struct mount_places *warm_places(struct str key);

/* Waits until it is, and then knows `mounts`. On failure the caller has to free it still. */
int warm_ready(struct warm *warm, struct err *err);

/* Is everything mounted as it was? */
bool warm_unchanged(const struct warm *warm);

/* Starts the command: from now on it is as if launch_start() had started it. -1: it cannot be used, and is gone. */
int warm_hand_over(struct warm *warm, const struct launch *launch, const struct launch_files *files, struct launched *ret);

/* Nobody needs it. */
void warm_discard(struct warm *warm);

/* ---- inside ---- */

/* The walls are. */
int warm_tell_ready(int work, struct err *err);

/* Does a shell that was started for it (launch/warm/preload.h) wait for a command? Waits until that is known. */
bool warm_comes_up(int up, pid_t pid, int outside);

/* Waits for the command. Then 0, 1 and 2 are its own, and `launch` has it. Ends when nobody wants
 * it any more: `outside` is a pidfd of who does, or -1. */
int warm_await(int work, int outside, struct launch *launch, struct err *err);

#endif
