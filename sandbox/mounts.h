/*
 * The file system of a command as an ordered list of mounts, defined once for all backends that mount.
 */
#ifndef BAILEY_SANDBOX_MOUNTS_H
#define BAILEY_SANDBOX_MOUNTS_H

#include "sandbox/host.h"
#include "sandbox/launch.h"

struct mount_list {
        struct mount_step *items;
        size_t count, room;
};

/* What the backend can do. */
struct mount_means {
        bool overlays; /* mount them */
        bool maps;     /* map owners of what it mounts: commands have ids of their own */
};

int mounts_compile(const struct policy *policy, const struct host *host, const struct mount_means *means, struct arena *arena,
                   struct mount_list *ret, struct err *err);

/* The mounts of a container besides its own root: binds and masks, in no order, none inside another. */
int mounts_container(const struct policy *policy, const struct host *host, struct arena *arena, struct mount_list *ret,
                     struct err *err);

/* The same list as Landlock rules: read everything, write what is writable. */
int mounts_landlock(const struct mount_list *mounts, struct arena *arena, struct landlock_plan *ret, struct err *err);

/* Returns true if a mount after step `i` covers `path`. */
bool mounts_cover(const struct mount_list *mounts, size_t i, const char *path);

#endif
