/*
 * The processes under one profile of sandbox-exec. A profile is inherited and cannot be left, so they are found wherever a
 * double fork or a session of their own has brought them: only they may read the profile's file, and not its directory.
 */
#ifndef BAILEY_LAUNCH_MEMBERS_DARWIN_H
#define BAILEY_LAUNCH_MEMBERS_DARWIN_H

#include <limits.h>
#include <sys/types.h>

#include "base/err.h"

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

#endif
