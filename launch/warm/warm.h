/*
 * A warm sandbox: it was created in advance, waits for one command, and is never used for another.
 *
 * A warm sandbox reflects the host at the time it was created; it may be used only if a new one would be identical. This is
 * checked with a key of all that it was created from, and with two files that report changes of mounts: the kernel detaches a
 * mount of the sandbox when the file below it is replaced.
 */
#ifndef BAILEY_LAUNCH_WARM_H
#define BAILEY_LAUNCH_WARM_H

#include "launch/start.h"

struct warm {
        struct launched launched;
        int work;   /* where the command is handed over */
        int mounts; /* /proc/self/mountinfo of the sandbox */
};

/* Returns true if the sandbox of this launch can be created in advance. */
bool warm_possible(const struct launch *launch);

/* Returns true if the command of this launch can be handed over. */
bool warm_fits(const struct launch *launch);

/* Builds the key: the plan except for the command, its directory and its variables, and the files that its paths lead to now.
 */
void warm_key(const struct launch *launch, struct buf *out);

/* Returns the files of a key, one for each mount; they are at the start of its memory. */
const struct mount_places *warm_places(struct str key);

/* Waits until the sandbox is ready, and sets `mounts`. After a failure the caller still has to free it. */
int warm_ready(struct warm *warm, struct err *err);

/* Returns true if no mount has changed. */
bool warm_unchanged(const struct warm *warm);

/* Starts the command, as if launch_start() had started it. -1: the sandbox cannot be used, and is freed. */
int warm_hand_over(struct warm *warm, const struct launch *launch, const struct launch_files *files, struct launched *ret);

/* The same for a shell that waits at the other end of a socket. -1: it is too large. */
int warm_send(int work, const struct launch *launch, const struct launch_files *files);

/* Discards it. */
void warm_discard(struct warm *warm);

/* ---- inside ---- */

/* Reports that the sandbox is ready. */
int warm_tell_ready(int work, struct err *err);

/* Returns true if a shell that was started for it (launch/warm/preload.h) waits for a command. Waits until that is known. */
bool warm_comes_up(int up, pid_t pid, int outside);

/* Waits for the command. Then 0, 1 and 2 are its own, and `launch` has it. Exits when the supervisor
 * does: `outside` is its pidfd, or -1. */
int warm_await(int work, int outside, struct launch *launch, struct err *err);

#endif
