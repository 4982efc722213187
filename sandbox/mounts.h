/*
 * What a command sees of the file system, as a list of mounts in order. Told once, for every backend that mounts.
 */
#ifndef BAILEY_SANDBOX_MOUNTS_H
#define BAILEY_SANDBOX_MOUNTS_H

#include "sandbox/host.h"
#include "sandbox/launch.h"

struct mount_list {
        struct mount_step *items;
        size_t count, room;
};

int mounts_compile(const struct policy *policy, const struct host *host, struct arena *arena, struct mount_list *ret,
                   struct err *err);

/* What a container has of the host besides its own root: binds and masks, in no order, none within another's reach. */
int mounts_container(const struct policy *policy, const struct host *host, struct arena *arena, struct mount_list *ret,
                     struct err *err);

/* The same once more, for Landlock: read everything, write what is writable. */
int mounts_landlock(const struct mount_list *mounts, struct arena *arena, struct landlock_plan *ret, struct err *err);

/* Does something later than step `i` cover `path`? */
bool mounts_cover(const struct mount_list *mounts, size_t i, const char *path);

#endif
