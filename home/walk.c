#include "home/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"

/* Small: there is one for each level, on the stack. */
enum { LIST_SIZE = 2048, CLOCK_EVERY = 64 };

struct level {
        struct walk *walk;
        const struct walk_entry *above;
        int fd;
        dev_t device;
        unsigned depth;
        uint64_t seen;
};

static void walk_level(struct level *level);

static bool is_dots(const char *name) {
        return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Without waiting: what was a directory a moment ago may be a fifo now. */
static int open_directory(const struct level *level, const char *name) {
        if (level->depth + 1 >= WALK_DEPTH_MAX)
                return -1;
        return openat(level->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static void walk_directory(struct level *level, struct walk_entry *entry) {
        FD_AUTO fd = -1;
        struct level below = { level->walk, entry, -1, level->device, level->depth + 1, 0 };

        if (level->walk->enters && !level->walk->enters(entry))
                return;
        fd = entry->status.st_dev == level->device ? open_directory(level, entry->name) : -1;
        if (fd < 0) {
                level->walk->unread++;
        } else {
                below.fd = entry->fd = fd;
                walk_level(&below);
                entry->children = below.seen;
        }
        level->walk->visit(level->walk->context, entry);
        entry->fd = -1;
}

static void walk_name(struct level *level, const char *name) {
        struct walk_entry entry = { .above = level->above, .name = name, .directory = level->fd, .fd = -1 };

        if (level->seen++ % CLOCK_EVERY == 0 && time_monotonic() > level->walk->deadline)
                level->walk->late = true;
        if (fstatat(level->fd, name, &entry.status, AT_SYMLINK_NOFOLLOW) < 0)
                return; /* gone meanwhile */
        if (S_ISDIR(entry.status.st_mode))
                walk_directory(level, &entry);
        else
                level->walk->visit(level->walk->context, &entry);
}

static void walk_level(struct level *level) {
        char list[LIST_SIZE] __attribute__((aligned(16)));
        long len;

        while (!level->walk->late && (len = syscall(SYS_getdents64, level->fd, list, sizeof(list))) > 0) {
                for (long at = 0; at < len && !level->walk->late;) {
                        const struct dirent64 *found = (const struct dirent64 *)(const void *)(list + at);

                        at += found->d_reclen;
                        if (!is_dots(found->d_name))
                                walk_name(level, found->d_name);
                }
        }
}

void walk_tree(struct walk *walk, int directory) {
        struct level top = { .walk = walk };
        struct stat status;

        top.fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* listed from its beginning */
        if (top.fd < 0 || fstat(top.fd, &status) < 0) {
                walk->unread++;
        } else {
                top.device = status.st_dev;
                walk_level(&top);
        }
        fd_close(top.fd);
}

bool walk_is_whiteout(const struct stat *status) {
        return S_ISCHR(status->st_mode) && status->st_rdev == makedev(0, 0);
}

bool walk_is_opaque(int directory) {
        char value = 0;

        return fgetxattr(directory, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}
