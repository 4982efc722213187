#include "launch/cover.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "launch/clone.h"
#include "launch/kernel.h"

enum {
        ATTEMPTS = 8, /* the host may go on renaming */
        STATUS_UNKNOWN = 255,
};

/* ---- what has to be covered ---- */

/* A mount of the plan. Those that a wrapper makes are listed apart. */
struct planned {
        const char *path;
        bool write;
};

static size_t planned_count(const struct launch *launch) {
        return launch->wrapper ? launch->wrapped_count : launch->mount_count;
}

/* False: it is none of the host's files at their own place. */
static bool planned_get(const struct launch *launch, size_t i, struct planned *ret) {
        const struct mount_step *step;

        if (launch->wrapper) {
                *ret = (struct planned){ launch->wrapped[i].target, launch->wrapped[i].write };
                return !launch->wrapped[i].optional && strcmp(launch->wrapped[i].source, ret->path) == 0;
        }
        step = &launch->mounts[i];
        *ret = (struct planned){ step->target, step->kind == MOUNT_WRITE };
        return (step->kind == MOUNT_READ || step->kind == MOUNT_WRITE) && strcmp(step->source, step->target) == 0;
}

/* Covers, and the directories on the way that must not be renamed, lie in something that an earlier mount makes writable. */
static bool cover_get(const struct launch *launch, size_t i, struct planned *ret) {
        struct planned other;

        if (!planned_get(launch, i, ret))
                return false;
        for (size_t j = 0; j < i; j++)
                if (planned_get(launch, j, &other) && other.write && path_below(ret->path, other.path))
                        return true;
        return false;
}

bool cover_needed(const struct launch *launch) {
        struct planned cover;

        if (!launch->own_pids || launch->container)
                return false;
        for (size_t i = 0; i < planned_count(launch); i++)
                if (cover_get(launch, i, &cover))
                        return true;
        return false;
}

/* By the file, not by its name: a process that opened it before it was covered, or knows another name, can still write to it.
 */
int cover_watch(const struct launch *launch) {
        FD_AUTO fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        struct planned cover;

        if (fd < 0)
                return -1;
        for (size_t i = 0; i < planned_count(launch); i++)
                if (cover_get(launch, i, &cover) && !cover.write &&
                    inotify_add_watch(fd, cover.path, IN_MODIFY | IN_CLOSE_WRITE | IN_DONT_FOLLOW) < 0 && errno != ENOENT &&
                    errno != ENOTDIR && errno != EACCES)
                        return -1;
        return TAKE_FD(fd);
}

/* The kernel grants a lease only on a file that is neither open for writing nor mapped. Without the permission to ask: false.
 */
static bool is_written(const char *path) {
        FD_AUTO fd = kernel_openat2(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
        bool written = fd >= 0 && fcntl(fd, F_SETLEASE, F_RDLCK) < 0 && errno == EAGAIN;

        if (fd >= 0 && !written)
                fcntl(fd, F_SETLEASE, F_UNLCK);
        return written;
}

bool cover_is_written(const struct launch *launch) {
        struct planned cover;
        struct stat status;

        for (size_t i = 0; i < planned_count(launch); i++)
                if (cover_get(launch, i, &cover) && !cover.write && lstat(cover.path, &status) == 0 &&
                    S_ISREG(status.st_mode) && is_written(cover.path))
                        return true;
        return false;
}

/* ---- in the child ---- */

/* As the owner of the user namespace that the mount namespace belongs to: a wrapper may have made another one inside of it. */
static int enter(int namespace) {
        FD_AUTO owner = ioctl(namespace, NS_GET_USERNS);

        if (owner < 0 || setns(owner, CLONE_NEWUSER) < 0 || setns(namespace, CLONE_NEWNS) < 0)
                return -1;
        return 0;
}

/* Is it a mount of its own, and one that cannot be written? */
static bool is_covered(int place, bool write) {
        struct statfs fs;
        struct statx st;

        return statx(place, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_TYPE, &st) == 0 &&
               st.stx_attributes & STATX_ATTR_MOUNT_ROOT && fstatfs(place, &fs) == 0 && (write || fs.f_flags & ST_RDONLY);
}

static int mount_over(int place, bool write) {
        struct mount_attr attributes = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (write ? 0 : MOUNT_ATTR_RDONLY) };
        FD_AUTO copy = open_tree(place, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);

        if (copy < 0 || mount_setattr(copy, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof(attributes)) < 0)
                return -1;
        return move_mount(copy, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

/* What is not there, or is a link by now, cannot be covered: protect_check() looks at it. */
static bool is_absent(int why) {
        return why == ENOENT || why == ENOTDIR || why == ELOOP;
}

/* What was mounted over is looked at again by its name: it may have been replaced meanwhile. */
static int cover(const struct planned *cover) {
        for (int i = 0; i < ATTEMPTS; i++) {
                FD_AUTO place =
                        kernel_openat2(AT_FDCWD, cover->path, O_PATH | O_CLOEXEC, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);

                if (place < 0)
                        return is_absent(errno) ? 0 : -1;
                if (is_covered(place, cover->write))
                        return 0;
                if (mount_over(place, cover->write) < 0 && errno != ENOENT)
                        return -1;
        }
        errno = EBUSY;
        return -1;
}

static _Noreturn void cover_all(const struct launch *launch, int namespace) {
        int failed = enter(namespace);
        struct planned planned;

        for (size_t i = 0; failed == 0 && i < planned_count(launch); i++)
                if (cover_get(launch, i, &planned))
                        failed = cover(&planned);
        if (failed == 0)
                _exit(0);
        _exit(errno > 0 && errno < STATUS_UNKNOWN ? errno : STATUS_UNKNOWN);
}

/* ---- in the parent ---- */

int cover_start(const struct launch *launch, int namespace, int *ret_pidfd, struct err *err) {
        pid_t pid = clone_process(0, -1, ret_pidfd);

        if (pid == 0)
                cover_all(launch, namespace);
        return pid < 0 ? err_sys(err, "fork") : 0;
}

int cover_end(int pidfd, struct err *err) {
        int status = 0;

        if (clone_reap(pidfd, &status) < 0)
                return err_sys(err, "waiting for a process");
        if (status == 0)
                return 0;
        errno = WIFEXITED(status) && WEXITSTATUS(status) != STATUS_UNKNOWN ? WEXITSTATUS(status) : EIO;
        return err_sys(err, "mounting");
}
