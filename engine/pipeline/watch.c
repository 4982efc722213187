#include "engine/pipeline/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"

enum {
        LINKS_MAX = 40, /* as the kernel has it */
        FULL = WATCH_NAMES - WATCH_NAMES / 4,
        OF_NAMES = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF,
        OF_CONTENT = IN_MODIFY | IN_CLOSE_WRITE,
};

/* File systems that change only through this kernel. */
static const unsigned local_systems[] = {
        EXT4_SUPER_MAGIC,     XFS_SUPER_MAGIC,       BTRFS_SUPER_MAGIC,    TMPFS_MAGIC,
        RAMFS_MAGIC,          OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,     SQUASHFS_MAGIC,
        EROFS_SUPER_MAGIC_V1, PROC_SUPER_MAGIC,      SYSFS_MAGIC,          DEBUGFS_MAGIC,
        TRACEFS_MAGIC,        SECURITYFS_MAGIC,      0x2fc12fc1 /* zfs */, 0xca451a4e /* bcachefs */,
};

static bool is_local(const char *directory) {
        struct statfs status;

        if (statfs(directory, &status) < 0)
                return false;
        for (size_t i = 0; i < sizeof(local_systems) / sizeof(*local_systems); i++)
                if ((unsigned)status.f_type == local_systems[i])
                        return true;
        return false;
}

/* ---- tables ---- */

/* FNV-1a. */
static uint64_t hash(uint64_t start, const char *text) {
        uint64_t print = (UINT64_C(0xcbf29ce484222325) ^ start) * UINT64_C(0x100000001b3);

        for (; *text; text++)
                print = (print ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
        return print ? print : 1; /* 0: a free place */
}

/* Returns whether it was not there. */
static bool add_seen(struct watch *watch, const char *path) {
        size_t at = hash(0, path) % WATCH_NAMES;

        for (; watch->seen[at]; at = (at + 1) % WATCH_NAMES)
                if (strcmp(watch->seen[at], path) == 0)
                        return false;
        watch->seen[at] = arena_dup(&watch->arena, str_z(path));
        if (!watch->seen[at] || ++watch->count >= FULL)
                watch->changed = true;
        return true;
}

static uint64_t *find_name(struct watch *watch, int directory, const char *name) {
        uint64_t print = hash((uint64_t)directory, name);
        size_t at = print % WATCH_NAMES;

        while (watch->names[at] && watch->names[at] != print)
                at = (at + 1) % WATCH_NAMES;
        return &watch->names[at];
}

/* ---- paths ---- */

struct way {
        char done[PATH_MAX]; /* no link in it, without a slash at the end */
        char rest[PATH_MAX];
        const char *left; /* of the rest */
        unsigned links;
};

/* In front of the rest; an absolute one starts over. False: after too many, as the kernel would say; or there is no room, which
 * the kernel does not need. */
static bool turn_to(struct watch *watch, struct way *way, const char *path) {
        size_t len = strlen(path), left = strlen(way->left);
        char joined[PATH_MAX];

        if (++way->links > LINKS_MAX)
                return false;
        if (len + 1 + left >= sizeof(joined)) {
                watch->changed = true;
                return false;
        }
        memcpy(joined, path, len);
        joined[len] = '/';
        memcpy(joined + len + 1, way->left, left + 1);
        memcpy(way->rest, joined, len + left + 2);
        way->left = way->rest;
        if (path[0] == '/')
                way->done[0] = 0;
        return true;
}

/* Whether to go on. */
static bool watch_name(struct watch *watch, const char *directory, const char *name) {
        int id = inotify_add_watch(watch->fd, directory, OF_NAMES | IN_ONLYDIR);

        if (id >= 0) {
                *find_name(watch, id, name) = hash((uint64_t)id, name);
                watch->changed = watch->changed || !is_local(directory);
                return true;
        }
        /* What is not there, or not to be searched, is so until the name above says otherwise, which is watched. */
        watch->changed = watch->changed || !(errno == ENOENT || errno == ENOTDIR || errno == EACCES) ||
                         (errno == EACCES && access(directory, X_OK) == 0);
        return false;
}

/* The next name of the rest, taken off it. False: there is none, or it is too long for any file. */
static bool next_name(struct way *way, char ret[static NAME_MAX + 1]) {
        const char *start = way->left + strspn(way->left, "/"), *end = start + strcspn(start, "/");
        size_t len = (size_t)(end - start);

        if (len == 0 || len > NAME_MAX)
                return false;
        memcpy(ret, start, len);
        ret[len] = 0;
        way->left = end;
        return true;
}

/* One name further, or where it leads. False: here it ends. */
static bool walk_on(struct watch *watch, struct way *way) {
        char name[NAME_MAX + 1], path[PATH_MAX], text[PATH_MAX];
        ssize_t link;

        if (!next_name(way, name))
                return false;
        if (strcmp(name, ".") == 0)
                return true;
        if (strcmp(name, "..") == 0) {
                if (way->done[0])
                        *strrchr(way->done, '/') = 0;
                return true;
        }
        if ((size_t)snprintf(path, sizeof(path), "%s/%s", way->done, name) >= sizeof(path)) {
                watch->changed = true; /* by links, it may be there all the same */
                return false;
        }
        if (add_seen(watch, path) && !watch_name(watch, way->done[0] ? way->done : "/", name))
                return false;
        link = readlink(path, text, sizeof(text) - 1);
        if (link < 0) {
                memcpy(way->done, path, strlen(path) + 1);
                return errno == EINVAL; /* it is there, and no link */
        }
        text[link] = 0;
        return turn_to(watch, way, text);
}

void watch_path(struct watch *watch, const char *path, bool content) {
        struct way way = { .links = 0 };

        if (watch->changed)
                return;
        if (strlen(path) >= sizeof(way.rest) || (path[0] != '/' && !getcwd(way.done, sizeof(way.done)))) {
                watch->changed = true;
                return;
        }
        if (way.done[0] == '/' && !way.done[1])
                way.done[0] = 0;
        memcpy(way.rest, path, strlen(path) + 1);
        way.left = way.rest;
        while (!watch->changed && walk_on(watch, &way))
                ;
        /* The file itself, as it may have other names. One that is not there has no content. */
        if (content && inotify_add_watch(watch->fd, path, OF_CONTENT) < 0 && errno != ENOENT)
                watch->changed = true;
}

/* ---- the whole ---- */

void watch_begin(struct watch *watch) {
        *watch = (struct watch){ .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC),
                                 .mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC) };
        arena_init(&watch->arena, 0);
        watch->changed = watch->fd < 0 || watch->mounts < 0;
}

static bool matters(struct watch *watch, const struct inotify_event *event) {
        if (event->mask & (IN_Q_OVERFLOW | IN_IGNORED | IN_UNMOUNT) || event->len == 0)
                return true;
        return *find_name(watch, event->wd, event->name) != 0;
}

static bool mounts_changed(const struct watch *watch) {
        struct pollfd mounts = { .fd = watch->mounts, .events = POLLPRI };

        return poll(&mounts, 1, 0) != 0;
}

bool watch_quiet(struct watch *watch) {
        _Alignas(struct inotify_event) char events[4096];
        ssize_t len;

        watch->changed = watch->changed || mounts_changed(watch);
        while (!watch->changed && (len = read(watch->fd, events, sizeof(events))) != 0) {
                if (len < 0) {
                        watch->changed = errno != EAGAIN;
                        break;
                }
                for (const char *at = events; at < events + len && !watch->changed;) {
                        const struct inotify_event *event = (const void *)at;

                        watch->changed = matters(watch, event);
                        at += sizeof(*event) + event->len;
                }
        }
        return !watch->changed;
}

void watch_end(struct watch *watch) {
        fd_close(watch->fd);
        fd_close(watch->mounts);
        arena_free(&watch->arena);
        watch->fd = watch->mounts = -1;
        watch->changed = true;
}
