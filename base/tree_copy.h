/*
 * Copies a tree that a hostile command may have made, and may still be changing: by descriptors, through no symbolic link,
 * within limits. What is copied are files, directories, symbolic links and fifos, with modes, times and, as far as the file
 * system takes them, owners and extended attributes.
 */
#ifndef BAILEY_BASE_TREE_COPY_H
#define BAILEY_BASE_TREE_COPY_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum { COPY_DEPTH_MAX = 64 };

struct copy {
        uint64_t bytes, entries; /* how many it may be; counts down */
        int64_t deadline;        /* monotonic */
        unsigned skipped;        /* sockets and devices that were left out */
};

/* `to_name` is new. On failure what has been copied stays; ERR_TOO_COMPLEX: past a limit. ERR_CHANGED: a file was written
 * meanwhile. */
int copy_tree(int from, const char *name, int to, const char *to_name, struct copy *copy, struct err *err);

/* Changes the mode of what a descriptor stands for, which may be opened with O_PATH. */
int copy_chmod(int fd, mode_t mode);

#endif
