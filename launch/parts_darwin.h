/*
 * The parts of a start on macOS, each in the file with its name.
 */
#ifndef BAILEY_LAUNCH_PARTS_DARWIN_H
#define BAILEY_LAUNCH_PARTS_DARWIN_H

#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * The processes under one profile of sandbox-exec. A profile is inherited and cannot be left, so they are found wherever a
 * double fork or a session of their own has brought them: only they may read the profile's file, and not its directory.
 */

struct members {
        char file[PATH_MAX], folder[PATH_MAX]; /* of the profile; both have to be there as long as this is used */
        int (*check)(pid_t pid, const char *operation, int type, ...);
        int quiet; /* of `type`: not to be logged as a denial */
};

/* Fails where macOS no longer has what this takes: then nothing could be promised. */
int members_open(const char *profile, struct members *ret, struct err *err);

/* For a process that was forked: allocates nothing. Returns how many there were. */
size_t members_signal(const struct members *members, int number);

/* Until there are none, or for a long time nothing but the same: what waits for a dead disk cannot be killed. */
void members_kill(const struct members *members);

/*
 * Checks whether sandbox-exec works at all.
 */

/* Runs it with a valid profile, for at most 5 s. Inside of another sandbox it does not work. The
 * attributes are those of a process that is born suspended. */
bool probe_sandbox_exec(const char *program, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes);

#endif
