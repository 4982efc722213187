#include "stage/attributes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/path.h"

#define OWN_PREFIX "user.overlay."
#define ESCAPED_PREFIX OWN_PREFIX "overlay." /* how overlayfs keeps what a command has set under its names */

enum { LIST_MAX = 64 << 10 }; /* of names, and of a value: XATTR_LIST_MAX, XATTR_SIZE_MAX */

static int open_handle(int directory, const char *name) {
        return openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

bool stage_has_attribute(int fd, const char *name) {
        return getxattr(path_to_fd(fd).text, name, NULL, 0) >= 0;
}

bool stage_is_whiteout(int directory, const char *name, const struct stat *status) {
        FD_AUTO fd = -1;

        if (S_ISCHR(status->st_mode))
                return status->st_rdev == makedev(0, 0);
        if (!S_ISREG(status->st_mode) || status->st_size)
                return false;
        fd = open_handle(directory, name);
        return fd >= 0 && stage_has_attribute(fd, OWN_PREFIX "whiteout");
}

bool stage_is_opaque(int directory) {
        char value = 0;

        return getxattr(path_to_fd(directory).text, OWN_PREFIX "opaque", &value, 1) == 1 && value == 'y';
}

bool stage_is_overlay_attribute(const char *name) {
        return strncmp(name, OWN_PREFIX, sizeof(OWN_PREFIX) - 1) == 0;
}

bool stage_copied_at(int directory, const char *name, struct timespec *ret) {
        FD_AUTO fd = open_handle(directory, name);
        struct statx st;

        if (fd < 0 || !stage_has_attribute(fd, OWN_PREFIX "origin") || statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) < 0 ||
            !(st.stx_mask & STATX_BTIME))
                return false;
        *ret = (struct timespec){ st.stx_btime.tv_sec, st.stx_btime.tv_nsec };
        return true;
}

/* ---- those of commands ---- */

/* Names, each with a NUL behind it, or a value. */
struct listed {
        const char *text;
        ssize_t len; /* -1: it cannot be read */
};

/* Most files have none, which costs no memory. */
static struct listed read_names(int fd, struct arena *arena) {
        ssize_t len = listxattr(path_to_fd(fd).text, NULL, 0);
        char *text;

        if (len < 0 && (errno == ENOTSUP || errno == EPERM || errno == EACCES))
                len = 0;
        if (len <= 0)
                return (struct listed){ .len = len };
        text = arena_bytes(arena, LIST_MAX);
        return (struct listed){ text, text ? listxattr(path_to_fd(fd).text, text, LIST_MAX) : -1 };
}

static struct listed read_value(int fd, const char *name, struct arena *arena) {
        char *text = arena_bytes(arena, LIST_MAX);

        return (struct listed){ text, text ? getxattr(path_to_fd(fd).text, name, text, LIST_MAX) : -1 };
}

#define EACH_NAME(name, names) \
        for (const char *name = (names).text; name && name < (names).text + (names).len; name += strlen(name) + 1)

static bool same_value(int fd, int other, const char *name) {
        struct listed value, others;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        value = read_value(fd, name, &arena);
        others = read_value(other, name, &arena);
        return value.len >= 0 && value.len == others.len && memcmp(value.text, others.text, (size_t)value.len) == 0;
}

/* Has `other` all that `fd` has, but for what is of overlayfs? */
static bool has_all(int fd, int other, const char *path, bool *ret_failed, struct err *err) {
        struct listed names;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        names = read_names(fd, &arena);
        *ret_failed = names.len < 0;
        if (names.len < 0)
                err_sys(err, "%s: attributes", path);
        EACH_NAME(name, names)
        if (!stage_is_overlay_attribute(name) && !same_value(fd, other, name))
                return false;
        return true;
}

static bool has_escaped(int fd) {
        struct listed names;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        names = read_names(fd, &arena);
        EACH_NAME(name, names)
        if (strncmp(name, ESCAPED_PREFIX, sizeof(ESCAPED_PREFIX) - 1) == 0)
                return true;
        return false;
}

int stage_same_attributes(const struct stage_sides *sides, const struct stat *after, bool *ret, struct err *err) {
        FD_AUTO base = open_handle(sides->base, sides->name), upper = open_handle(sides->upper, sides->name);
        bool failed = false;

        if (base < 0 || upper < 0)
                return err_sys(err, "%s", sides->path);
        *ret = S_ISLNK(after->st_mode) || (has_all(base, upper, sides->path, &failed, err) && !failed &&
                                           has_all(upper, base, sides->path, &failed, err) && !has_escaped(upper));
        return failed ? -1 : 0;
}

/* ---- applying ---- */

/* One that a command has set gets the name that it was set under. */
static int strip_one(int fd, const char *name) {
        char own[XATTR_NAME_MAX + 1];
        struct listed value;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (strncmp(name, ESCAPED_PREFIX, sizeof(ESCAPED_PREFIX) - 1) == 0) {
                value = read_value(fd, name, &arena);
                snprintf(own, sizeof(own), OWN_PREFIX "%s", name + sizeof(ESCAPED_PREFIX) - 1);
                if (value.len < 0 || setxattr(path_to_fd(fd).text, own, value.text, (size_t)value.len, 0) < 0)
                        return -1;
        }
        return removexattr(path_to_fd(fd).text, name) < 0 && errno != ENODATA ? -1 : 0;
}

static int strip_all(int fd, const char *path, struct err *err) {
        struct listed names;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        names = read_names(fd, &arena);
        EACH_NAME(name, names)
        if (stage_is_overlay_attribute(name) && strip_one(fd, name) < 0)
                return err_sys(err, "%s: removing the attribute %s", path, name);
        return names.len < 0 ? err_sys(err, "%s: attributes", path) : 0;
}

int stage_strip(int directory, const char *name, struct err *err) {
        FD_AUTO fd = open_handle(directory, name);
        struct stat st;

        if (fd < 0 || fstat(fd, &st) < 0)
                return err_sys(err, "%s", name);
        return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? strip_all(fd, name, err) : 0;
}
