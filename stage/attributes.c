#include "stage/attributes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"

#define OWN_PREFIX "user.overlay."
#define ESCAPED_PREFIX OWN_PREFIX "overlay." /* how overlayfs keeps what a command has set under its names */

enum { NAMES_MAX = 64 << 10, VALUE_MAX = 64 << 10 };

/* The way to what is open with O_PATH only. */
struct handle {
        char path[32];
};

static struct handle handle_of(int fd) {
        struct handle handle;

        snprintf(handle.path, sizeof(handle.path), "/proc/self/fd/%d", fd);
        return handle;
}

static int open_handle(int directory, const char *name) {
        return openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

bool stage_has_attribute(int fd, const char *name) {
        return getxattr(handle_of(fd).path, name, NULL, 0) >= 0;
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

        return getxattr(handle_of(directory).path, OWN_PREFIX "opaque", &value, 1) == 1 && value == 'y';
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

/* Names, each with a NUL behind it. A link has none that matter. */
static ssize_t list(int fd, char ret[static NAMES_MAX]) {
        ssize_t len = listxattr(handle_of(fd).path, ret, NAMES_MAX);

        return len < 0 && (errno == ENOTSUP || errno == EPERM || errno == EACCES) ? 0 : len;
}

/* Has `other` all that `fd` has, but for what is of overlayfs? */
static bool has_all(int fd, int other, const char *path, bool *ret_failed, struct err *err) {
        static _Thread_local char names[NAMES_MAX], value[VALUE_MAX], others[VALUE_MAX];
        ssize_t len = list(fd, names);

        *ret_failed = len < 0;
        if (len < 0)
                err_sys(err, "%s: attributes", path);
        for (const char *name = names; name < names + len; name += strlen(name) + 1) {
                ssize_t size, other_size;

                if (stage_is_overlay_attribute(name))
                        continue;
                size = getxattr(handle_of(fd).path, name, value, sizeof(value));
                other_size = getxattr(handle_of(other).path, name, others, sizeof(others));
                if (size < 0 || size != other_size || memcmp(value, others, (size_t)size) != 0)
                        return false;
        }
        return true;
}

static bool has_escaped(int fd) {
        static _Thread_local char names[NAMES_MAX];
        ssize_t len = list(fd, names);

        for (const char *name = names; len > 0 && name < names + len; name += strlen(name) + 1)
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
        static _Thread_local char value[VALUE_MAX];
        char own[XATTR_NAME_MAX + 1];
        ssize_t size;

        if (strncmp(name, ESCAPED_PREFIX, sizeof(ESCAPED_PREFIX) - 1) == 0) {
                snprintf(own, sizeof(own), OWN_PREFIX "%s", name + sizeof(ESCAPED_PREFIX) - 1);
                size = getxattr(handle_of(fd).path, name, value, sizeof(value));
                if (size < 0 || setxattr(handle_of(fd).path, own, value, (size_t)size, 0) < 0)
                        return -1;
        }
        return removexattr(handle_of(fd).path, name) < 0 && errno != ENODATA ? -1 : 0;
}

int stage_strip(int directory, const char *name, struct err *err) {
        static _Thread_local char names[NAMES_MAX];
        FD_AUTO fd = open_handle(directory, name);
        struct stat st;
        ssize_t len;

        if (fd < 0 || fstat(fd, &st) < 0)
                return err_sys(err, "%s", name);
        if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
                return 0;
        len = list(fd, names);
        for (const char *at = names; len > 0 && at < names + len; at += strlen(at) + 1)
                if (stage_is_overlay_attribute(at) && strip_one(fd, at) < 0)
                        return err_sys(err, "%s: removing the attribute %s", name, at);
        return len < 0 ? err_sys(err, "%s: attributes", name) : 0;
}
