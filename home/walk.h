/*
 * Goes through a tree that commands have made and may still be changing: by descriptors, through no symbolic link, into no
 * other file system, within limits. It allocates nothing, so that it can be done in a process that was just born of one with
 * threads.
 */
#ifndef BAILEY_HOME_WALK_H
#define BAILEY_HOME_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum { WALK_DEPTH_MAX = 128 };

struct walk_entry {
        const struct walk_entry *above; /* the directory that it is in; NULL: the top */
        const char *name;
        int directory;     /* that it is in */
        int fd;            /* of a directory that could be listed; -1 */
        uint64_t children; /* of that */
        struct stat status;
};

struct walk {
        int64_t deadline;                                             /* monotonic */
        bool (*enters)(const struct walk_entry *entry);               /* is the directory listed? NULL: all are */
        void (*visit)(void *context, const struct walk_entry *entry); /* a directory after what is in it */
        void *context;

        uint64_t unread; /* directories that were not listed: too deep, not readable, of another file system */
        bool late;       /* past the deadline there may be more */
};

/* All that is below a directory, but not that itself. */
void walk_tree(struct walk *walk, int directory);

bool walk_is_whiteout(const struct stat *status); /* what overlayfs leaves in the place of a deleted file */
bool walk_is_opaque(int directory);               /* and in a directory that replaces one of the user's */

#endif
