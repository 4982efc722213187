/*
 * Carries out a list of mounts in the mount namespace of this process, which must be its own.
 */
#ifndef BAILEY_LAUNCH_MOUNT_H
#define BAILEY_LAUNCH_MOUNT_H

#include <sys/types.h>

#include "base/err.h"
#include "sandbox/launch.h"

struct home_run;       /* home/home.h */
struct mapped_channel; /* launch/mapped.h */

/* The file that a path led to when it was recorded; 0: none. */
struct mount_place {
        uint64_t device, inode;
        uint64_t born; /* nanoseconds, 0: unknown; not compared here */
};

struct mount_places {
        struct mount_place source, target;
};

/* Returns where a path leads now, without following a link at its end. `path` may be NULL: nowhere. */
struct mount_place mount_look(const char *path);

/* The same for a path that existed when the plan was made, and contains no links. */
int mount_note(const char *path, struct mount_place *ret, struct err *err);

/* Sets the error for a path of the plan from errno: ERR_CHANGED if the path has changed, else as err_sys(). */
int mount_failed(const char *path, struct err *err);

/* What else is mounted: */
struct mount_given {
        int tmp;                             /* the session's /tmp, a mount that is nowhere yet; -1: there is none */
        int stage;                           /* the overlay of the workspace, likewise */
        const struct mapped_channel *passed; /* where sources come from, by mount_send(); NULL: they are taken here */
};

/* `places`, one for each step, or NULL: if a path now leads to another file, it fails with ESTALE. Targets inside a new file
 * system, which only this process has, are not checked; those in a layer or in the session's /tmp are checked at the end.
 * `ret_run` is set to what has to stay open as long as the sandbox writes into the layer. */
int mount_all(const struct mount_step *steps, const struct mount_places *places, size_t count, const struct mount_given *given,
              struct home_run *ret_run, struct err *err);

/* In the parent, as root: takes the sources, with owners mapped to the user namespace where the plan says so, and passes them.
 */
int mount_send(const struct mount_step *steps, const struct mount_places *places, size_t count, int userns, int socket,
               struct err *err);

/* Makes an empty directory that holds `size` bytes the root of this process, and leaves nothing else mounted. It belongs to the
 * user and the group `owner`. Returns an fd of its mount, which can be cloned. */
int mount_alone(uint64_t size, uid_t owner, struct err *err);

/* The overlay of a workspace: what is written to it goes to the directory HOME_UPPER of `stage`. As above it becomes all there
 * is for this process. `layers` are both directories with their owners mapped, in mounts that are nowhere yet; -1: they are
 * opened here. */
int mount_stage(const char *workspace, const char *stage, const int layers[static 2], struct err *err);

/* Creates a mount point in a layer, of the type of `source`; if that does not exist, a file if it is optional, else a
 * directory. Follows no link: commands write there. */
int mount_make_point(const char *point, const char *source, bool optional, struct err *err);

/* Before a wrapper that binds the host's devices: makes the device nodes read-only (their inodes, not the devices) in a new
 * mount namespace. Only for root; ordinary users do not own the nodes. */
int mount_keep_devices(struct err *err);

/* In the sandbox of a wrapper, before the command starts: verifies that exactly the planned files are mounted. */
/* Sockets that have appeared or disappeared meanwhile are removed from the list that the broker allows. */
int mount_verify(const struct wrapped_mount *mounts, size_t count, struct broker_plan *broker, struct err *err);

#endif
