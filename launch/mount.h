/*
 * Carries out a list of mounts in the mount namespace of this process, which must be its own.
 */
#ifndef BAILEY_LAUNCH_MOUNT_H
#define BAILEY_LAUNCH_MOUNT_H

#include "base/err.h"
#include "sandbox/launch.h"

/* Which file a path led to, when somebody looked; 0: there was none. */
struct mount_place {
        uint64_t device, inode;
        uint64_t born; /* nanoseconds, 0: unknown; not compared here */
};

struct mount_places {
        struct mount_place source, target;
};

/* Where a path leads now, without following it; NULL: nowhere. */
struct mount_place mount_look(const char *path);

/* The same for one that was there when the plan was made, and has no links in it. */
int mount_note(const char *path, struct mount_place *ret, struct err *err);

/* For a path of the plan, of which errno speaks: ERR_CHANGED where it is not what it was, else as err_sys(). */
int mount_failed(const char *path, struct err *err);

/* `places`, one for each step, or NULL: if a path leads to another file by now, it fails with ESTALE. But for a target inside
 * of what is mounted first, and new: nobody else has that. */
int mount_all(const struct mount_step *steps, const struct mount_places *places, size_t count, struct err *err);

/* Before a wrapper that binds the host's devices, in a mount namespace that this makes: they are read-only, in the sense of the
 * node. For who may make one; other users do not own the nodes. */
int mount_keep_devices(struct err *err);

/* Inside of what a wrapper has made, before there is a command: has it mounted what it was told to, and nothing else? */
/* Sockets that have come or gone meanwhile are taken out of what the broker lets commands reach. */
int mount_verify(const struct wrapped_mount *mounts, size_t count, struct broker_plan *broker, struct err *err);

#endif
