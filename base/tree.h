/*
 * Copying, moving and removing trees that a hostile command may have made, and may still be changing: by descriptors, through
 * no symbolic link, within limits. Modes may be in the way, of a tree and of the directory that it stands in; what stays keeps
 * the mode that it has.
 */
#ifndef BAILEY_BASE_TREE_H
#define BAILEY_BASE_TREE_H

#include <dirent.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum { COPY_DEPTH_MAX = 64, REMOVE_NAME_SIZE = 64 };

/* Lists a directory; NULL with errno. And its next entry, without `.` and `..`; NULL at the end, or with errno. */
DIR *tree_list(int directory, const char *name);
const struct dirent *tree_next(DIR *stream);

struct copy {
        uint64_t bytes, entries; /* how many it may be; counts down */
        int64_t deadline;        /* monotonic */
        unsigned skipped;        /* sockets and devices that were left out */
};

/* Files, directories, symbolic links and fifos, with modes, times and, as far as the file system takes them, owners and
 * extended attributes. `to_name` is new. On failure what has been copied stays; ERR_TOO_COMPLEX: past a limit. ERR_CHANGED: a
 * file was written meanwhile. */
int copy_tree(int from, const char *name, int to, const char *to_name, struct copy *copy, struct err *err);

/* Changes the mode of what a descriptor stands for, which may be opened with O_PATH. */
int tree_chmod(int fd, mode_t mode);

/* Renames to a name that is new, or fails with errno, EEXIST for one that is not. */
int move_rename(int from, const char *name, int to, const char *to_name);

/* The same for a directory, too, that its mode keeps from being moved: one that moves has to be writable itself. */
int move_new(int from, const char *name, int to, const char *to_name);

/* Not of links, which have none. */
void move_set_mode(int dir, const char *name, mode_t mode);

/* Removes a file, a link or a whole tree, with two directories open at a time however deep it is; a tree is moved aside first,
 * so that its name is free at once. Past `deadline` (monotonic) the rest stays under the other name, which is an error that
 * tells it. */
int remove_tree(int directory, const char *name, int64_t deadline, struct err *err);

/* The same under the name that it has, which then is not free before all of it is gone, for at most `time` nanoseconds. */
int move_remove(int dir, const char *name, int64_t time, struct err *err);

#endif
