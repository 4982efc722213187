/*
 * A file system for the smallest useful image, as a tar archive, made of static programs that this host has: busybox, and
 * bash where there is a static one.
 */
#ifndef BAILEY_RUN_ROOTFS_H
#define BAILEY_RUN_ROOTFS_H

#include "base/buf.h"
#include "base/err.h"

enum { ROOTFS_MAX = 64 << 20 };

/* Where it looks, NULL-terminated; the first that is there and static. */
struct rootfs_places {
        const char *const *busybox, *const *bash;
};
extern const struct rootfs_places rootfs_places_usual;

/* `tar` is initialised by the caller. */
int rootfs_write(const struct rootfs_places *places, struct buf *tar, struct err *err);

#endif
