#include "launch/mount.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "base/fd.h"
#include "home/home.h"
#include "launch/kernel.h"
#include "launch/mapped.h"
#include "sandbox/mounts.h"

/*
 * Two passes. The first takes hold of every source, as later mounts may cover it; for commands that have ids of their own, the
 * parent does this (launch/mapped.h). The second puts them in place. Nothing
 * follows a symbolic link: all paths were resolved, and a link that is there now was put there by somebody else.
 *
 * A sandbox that is made beforehand is made of what paths lead to at another time than that at which it was decided that it can
 * be used. Each file is therefore looked at when it is taken hold of: a directory on the way to it may have been renamed, and
 * renamed back later. A mount goes with what it is mounted on.
 *
 * The host's root is made read-only where it is; an empty one is made beside it, and entered at the end.
 *
 * All private directories share one tmpfs, and its limit: a file system costs more to make than a mount. It is attached
 * before parts of it are: before Linux 6.15, what is detached cannot be cloned.
 */

enum {
        MOUNTS_MAX = 4096,
        PER_INODE = 4096, /* an empty file takes memory, too */
        INODES_LEAST = 1024,
        STAGE_ROOT_SIZE = 64 << 10,
};

/* File systems whose files are not those of the host. */
enum { OWN_STORE, OWN_ROOT, OWN_TMP, OWN_COUNT };

struct mounter {
        int root;                         /* where targets are looked up */
        const struct mount_place *target; /* where the next one should be; NULL: it does not matter */
        bool empty;                       /* `root` is a new one */
        int store;               /* the file system of all that is private; it is mounted as /dev, and read-only in the end */
        int private;             /* its closed directory, which holds what is mounted elsewhere */
        int made;                /* how many directories that are */
        int layers;              /* the overlay that parts of a home are taken from; -1: there is none */
        const char *home;        /* which that is */
        bool masked;             /* the masks are there */
        int tmp;                 /* the session's /tmp; -1: there is none */
        int stage;               /* the overlay of the workspace; -1: there is none */
        const char *staged;      /* where it is mounted; NULL: not yet */
        uint64_t own[OWN_COUNT]; /* devices that only the sandbox has, or only the session */
        uint64_t id;             /* of what was mounted last, if that is in a layer */
        int lower;               /* the home directory, for an overlay that is to be made here; -1: it is made already */
        struct home_run run;     /* what stays open as long as the sandbox writes into the layer */
};

static const uint64_t no_links = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;

/* ---- making ---- */

static int new_tmpfs(uint64_t size, const char *mode, unsigned int attributes, struct err *err) {
        FD_AUTO fs = fsopen("tmpfs", FSOPEN_CLOEXEC);
        char bytes[32], inodes[32];
        int fd;

        snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)size);
        snprintf(inodes, sizeof(inodes), "%llu",
                 (unsigned long long)(size / PER_INODE < INODES_LEAST ? INODES_LEAST : size / PER_INODE));
        if (fs < 0 || fsconfig(fs, FSCONFIG_SET_STRING, "size", bytes, 0) < 0 ||
            fsconfig(fs, FSCONFIG_SET_STRING, "nr_inodes", inodes, 0) < 0 ||
            fsconfig(fs, FSCONFIG_SET_STRING, "mode", mode, 0) < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
                return err_sys(err, "tmpfs");
        fd = fsmount(fs, FSMOUNT_CLOEXEC, attributes);
        return fd < 0 ? err_sys(err, "tmpfs") : fd;
}

static int new_mount(const char *type, const char *const *options, unsigned int attributes, struct err *err) {
        FD_AUTO fs = fsopen(type, FSOPEN_CLOEXEC);
        int fd;

        if (fs < 0)
                return err_sys(err, "%s", type);
        for (; options && *options; options += 2)
                if ((options[1][0] ? fsconfig(fs, FSCONFIG_SET_STRING, options[0], options[1], 0)
                                   : fsconfig(fs, FSCONFIG_SET_FLAG, options[0], NULL, 0)) < 0)
                        return err_sys(err, "%s: %s=%s", type, options[0], options[1]);
        if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
                return err_sys(err, "%s", type);
        fd = fsmount(fs, FSMOUNT_CLOEXEC, attributes);
        return fd < 0 ? err_sys(err, "%s", type) : fd;
}

/* ---- layers ---- */

static int make_directory(const char *path, struct err *err);

/* The directory above, which is made, and which no link leads to. */
static int open_above(const char *path, struct err *err) {
        const char *slash = strrchr(path, '/');
        char above[4096];
        int fd;

        if (!slash || slash == path || (size_t)(slash - path) >= sizeof(above))
                return err_set(err, ERR_INVALID, "%s: too long", path);
        memcpy(above, path, (size_t)(slash - path));
        above[slash - path] = 0;
        if (make_directory(above, err) < 0)
                return -1;
        fd = kernel_openat2(AT_FDCWD, above, O_PATH | O_DIRECTORY | O_CLOEXEC, no_links);
        return fd < 0 ? mount_failed(path, err) : fd;
}

static int make_directory(const char *path, struct err *err) {
        FD_AUTO there = kernel_openat2(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC, no_links), above = -1;

        if (there >= 0)
                return 0;
        if (errno != ENOENT)
                return mount_failed(path, err);
        above = open_above(path, err);
        if (above < 0)
                return -1;
        return mkdirat(above, strrchr(path, '/') + 1, 0755) < 0 && errno != EEXIST ? mount_failed(path, err) : 0;
}

static int make_file(const char *path, struct err *err) {
        FD_AUTO above = open_above(path, err);

        if (above < 0)
                return -1;
        return mknodat(above, strrchr(path, '/') + 1, S_IFREG | 0644, 0) < 0 && errno != EEXIST ? mount_failed(path, err) : 0;
}

int mount_make_point(const char *point, const char *source, bool optional, struct err *err) {
        bool missing, file;
        struct stat st;

        missing = !source || lstat(source, &st) < 0;
        file = missing ? optional : !S_ISDIR(st.st_mode);
        return file ? make_file(point, err) : make_directory(point, err);
}

/* The kernel makes these with no permissions at all, so that their user could not remove them with rm. What fails does no harm.
 */
static void open_work(int work) {
        static const char *const made[] = { "work", "work/incompat", "work/incompat/volatile" };

        for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
                if (fchmodat(work, made[i], 0700, 0) < 0)
                        return;
}

/* The layer over the user's home, and an empty directory over both, which takes what is written. Descriptors stay open until
 * the file system is made: older kernels look at the paths only then.
 *
 * `volatile`: or the end of the sandbox writes to the disk whatever anybody has in memory for that file system, and waits for
 * it. What is written here is as safe from a power failure as what nobody syncs. */
static int make_overlay(const char *lower_path, int run, const char *what, struct err *err) {
        FD_AUTO upper = openat(run, HOME_UPPER, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        FD_AUTO work = openat(run, HOME_WORK, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        char upper_path[32], work_path[32];
        const char *const options[] = { "source",  "bailey",    "lowerdir", lower_path, "upperdir", upper_path, "workdir",
                                        work_path, "userxattr", "",         "volatile", "",         NULL };
        int fd;

        if (upper < 0 || work < 0)
                return err_sys(err, "overlay of %s", what);
        snprintf(upper_path, sizeof(upper_path), "/proc/self/fd/%d", upper);
        snprintf(work_path, sizeof(work_path), "/proc/self/fd/%d", work);
        fd = new_mount("overlay", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, err);
        if (fd >= 0)
                open_work(work);
        if (fd < 0 && err->sys != EMFILE && err->sys != ENFILE && err->sys != ENOMEM && err->sys != ENOSPC)
                err->code = ERR_NO_OVERLAY;
        return fd < 0 ? err_context(err, "overlay of %s", what) : fd;
}

static int new_overlay(int layer, int home, int run, struct err *err) {
        FD_AUTO files = openat(layer, HOME_FILES, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        char lower[64];

        if (files < 0)
                return err_sys(err, "home of the workspace");
        snprintf(lower, sizeof(lower), "/proc/self/fd/%d:/proc/self/fd/%d", files, home);
        return make_overlay(lower, run, "the home directory", err);
}

/* Of a home directory with a layer, detached. ERR_NO_OVERLAY: the kernel or a file system does not support that. */
static int mount_overlay(const char *layer, const char *home, struct home_run *ret_run, struct err *err) {
        FD_AUTO top = kernel_openat2(AT_FDCWD, layer, O_PATH | O_DIRECTORY | O_CLOEXEC, no_links);
        FD_AUTO bottom = kernel_openat2(AT_FDCWD, home, O_PATH | O_DIRECTORY | O_CLOEXEC, no_links);
        FD_AUTO runs = top < 0 ? -1 : openat(top, HOME_RUNS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (top < 0 || runs < 0)
                return mount_failed(layer, err);
        if (bottom < 0)
                return mount_failed(home, err);
        return home_take_run(runs, ret_run, err) < 0 ? -1 : new_overlay(top, bottom, ret_run->fd, err);
}

/* ---- places ---- */

static const char *relative(const char *path) {
        while (*path == '/')
                path++;
        return *path ? path : ".";
}

static const char *last_name(const char *name) {
        const char *slash = strrchr(name, '/');

        return slash ? slash + 1 : name;
}

static bool is_own(const uint64_t own[static OWN_COUNT], uint64_t device) {
        for (int i = 0; i < OWN_COUNT; i++)
                if (own[i] == device)
                        return true;
        return false;
}

/* What is made on a file system that not only the sandbox has stays on the host. The plan found there what it names, so
 * somebody has taken it away since. */
static int check_own(const struct mounter *m, int directory, const char *path, struct err *err) {
        struct stat st;

        if (fstat(directory, &st) < 0)
                return err_sys(err, "%s", path);
        if (is_own(m->own, st.st_dev))
                return 0;
        errno = ENOENT;
        return mount_failed(path, err);
}

/* The directory that something is to be made in; made itself if it is not there. */
static int open_parent(const struct mounter *m, const char *path, struct err *err) {
        FD_AUTO at = openat(m->root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
        const char *name = relative(path), *slash;
        char part[NAME_MAX + 1];

        for (; at >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
                FD_AUTO above = TAKE_FD(at);

                if ((size_t)(slash - name) >= sizeof(part))
                        return err_set(err, ERR_INVALID, "%s: too long", path);
                memcpy(part, name, (size_t)(slash - name));
                part[slash - name] = 0;
                at = openat(above, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (at >= 0 || errno != ENOENT)
                        continue;
                if (check_own(m, above, path, err) < 0)
                        return -1;
                if (mkdirat(above, part, 0755) == 0)
                        at = openat(above, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
        if (at < 0)
                return mount_failed(path, err);
        return check_own(m, at, path, err) < 0 ? -1 : TAKE_FD(at);
}

/* An fd of the place that `path` names inside; made when it is not there, and is to be on a file system of the sandbox. */
static int open_target(const struct mounter *m, const char *path, bool directory, struct err *err) {
        const char *name = relative(path), *last = last_name(name);
        FD_AUTO parent = -1;
        int fd = kernel_openat2(m->root, name, O_PATH | O_CLOEXEC, no_links);

        if (fd >= 0)
                return fd;
        if (errno != ENOENT)
                return mount_failed(path, err);
        parent = open_parent(m, path, err);
        if (parent < 0)
                return -1;
        /* Another command may make it at the same time, in the session's /tmp, or something else. */
        if ((directory ? mkdirat(parent, last, 0755) : mknodat(parent, last, S_IFREG | 0644, 0)) < 0 && errno != EEXIST)
                return mount_failed(path, err);
        fd = kernel_openat2(parent, last, O_PATH | O_CLOEXEC, no_links);
        return fd < 0 ? mount_failed(path, err) : fd;
}

int mount_failed(const char *path, struct err *err) {
        static const struct {
                int sys;
                const char *now;
        } changes[] = {
                { ENOENT, "no longer exists" },    { ENOTDIR, "no longer exists" }, { ELOOP, "now contains a symbolic link" },
                { ESTALE, "is now another file" }, { EROFS, "no longer exists" },
        };

        for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
                if (changes[i].sys == errno) {
                        err_set(err, ERR_CHANGED,
                                "the path changed while the sandbox was being set up and %s; the command was not run. Try "
                                "again",
                                changes[i].now);
                        err_context(err, "%s", path);
                        err->sys = errno;
                        return -1;
                }
        return err_sys(err, "%s", path);
}

/* Numbers of inodes are used again when nothing holds the old one, as a mount that somebody took away does not. */
struct mount_place mount_look(const char *path) {
        struct statx st;

        if (!path || statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_INO | STATX_BTIME, &st) < 0)
                return (struct mount_place){};
        return (struct mount_place){
                .device = makedev(st.stx_dev_major, st.stx_dev_minor),
                .inode = st.stx_ino,
                .born = st.stx_mask & STATX_BTIME ? (uint64_t)st.stx_btime.tv_sec * 1000000000 + st.stx_btime.tv_nsec : 0,
        };
}

int mount_note(const char *path, struct mount_place *ret, struct err *err) {
        FD_AUTO fd = kernel_openat2(AT_FDCWD, path, O_PATH | O_CLOEXEC, no_links);
        struct stat st;

        if (fd < 0 || fstat(fd, &st) < 0)
                return mount_failed(path, err);
        *ret = (struct mount_place){ .device = st.st_dev, .inode = st.st_ino };
        return 0;
}

static int check_place(int fd, const struct mount_place *place, const uint64_t own[static OWN_COUNT], const char *path,
                       struct err *err) {
        struct stat st;

        if (!place)
                return 0;
        if (fstat(fd, &st) < 0)
                return err_sys(err, "%s", path);
        if ((st.st_dev == place->device && st.st_ino == place->inode) || is_own(own, st.st_dev))
                return 0;
        errno = ESTALE;
        return mount_failed(path, err);
}

/* A directory goes on a directory, a file on a file, and nothing on what was removed. */
static int refused_mount(int target, const char *path, bool directory, struct err *err) {
        int why = errno;
        struct stat st;

        if (fstat(target, &st) == 0 && (st.st_nlink == 0 || S_ISDIR(st.st_mode) != directory)) {
                errno = ESTALE;
                return mount_failed(path, err);
        }
        errno = why;
        return why == ENOENT ? mount_failed(path, err) : err_sys(err, "mounting %s", path);
}

static int attach_to(int target, int mount, const char *path, bool directory, struct err *err) {
        if (move_mount(mount, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
                return refused_mount(target, path, directory, err);
        return 0;
}

static int attach(const struct mounter *m, int mount, const char *path, bool directory, struct err *err) {
        FD_AUTO target = open_target(m, path, directory, err);

        if (target < 0 || check_place(target, m->target, m->own, path, err) < 0)
                return -1;
        return attach_to(target, mount, path, directory, err);
}

/* The mount that a path leads to; 0, with errno: not known. */
static uint64_t mount_id_at(int fd, const char *path, int flags) {
        struct statx st;

        if (statx(fd, path, flags | AT_NO_AUTOMOUNT, STATX_MNT_ID, &st) < 0)
                return 0;
        errno = ESTALE;
        return st.stx_mask & STATX_MNT_ID ? st.stx_mnt_id : 0;
}

static uint64_t mount_id(int fd) {
        return mount_id_at(fd, "", AT_EMPTY_PATH);
}

static int restrict_tree(int mount, bool read_only, const char *path, struct err *err) {
        struct mount_attr attributes = { .attr_set =
                                                 MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (read_only ? MOUNT_ATTR_RDONLY : 0) };

        if (mount_setattr(mount, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof(attributes)) < 0)
                return err_sys(err, "restricting %s", path);
        return 0;
}

/* ---- steps ---- */

static int take_source(const struct mount_step *step, const struct mount_place *expected, int userns, struct err *err) {
        static const uint64_t none[OWN_COUNT];
        const struct mapped_copy how = { .userns = step->mapped ? userns : -1, .read_only = step->kind != MOUNT_WRITE };
        FD_AUTO place = kernel_openat2(AT_FDCWD, step->source, O_PATH | O_CLOEXEC, no_links);

        if (place < 0)
                return mount_failed(step->source, err);
        if (check_place(place, expected, none, step->source, err) < 0)
                return -1;
        return mapped_copy(place, step->source, &how, err);
}

static int bind_source(struct mounter *m, int source, const struct mount_step *step, struct err *err) {
        struct stat st;

        if (fstat(source, &st) < 0)
                return err_sys(err, "%s", step->source);
        m->id = mount_id(source);
        return attach(m, source, step->target, S_ISDIR(st.st_mode), err);
}

/* All that parts of the home are cloned from stays mounted on the closed directory, one on the other, until the sandbox ends:
 * each time that something is unmounted, the kernel waits for all processors. In the end all of it is read-only and covered, as
 * the home directory itself is by the layer. */
static int attach_layers(const struct mounter *m, int mount, struct err *err) {
        return attach_to(m->private, mount, "home of the workspace", true, err);
}

/* Parts of it can be cloned now. */
static int keep_layers(struct mounter *m, int overlay, const struct mount_step *step, struct err *err) {
        m->layers = fcntl(overlay, F_DUPFD_CLOEXEC, 0);
        m->home = step->target;
        return m->layers < 0 ? err_sys(err, "home of the workspace") : 0;
}

/* Of a layer and a home directory whose owners are mapped. An overlay takes only what is mounted in this namespace (before
 * Linux 6.15), and keeps copies of its own. `runs` is what it was, whatever is mounted on it. */
static int overlay_mapped(struct mounter *m, int layer, const struct mount_step *step, struct err *err) {
        FD_AUTO runs = openat(layer, HOME_RUNS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        FD_AUTO overlay = -1;

        if (runs < 0)
                return mount_failed(step->source, err);
        if (attach_layers(m, layer, err) < 0 || attach_layers(m, m->lower, err) < 0)
                return -1;
        overlay = home_take_run(runs, &m->run, err) < 0 ? -1 : new_overlay(layer, m->lower, m->run.fd, err);
        fd_close(TAKE_FD(m->lower));
        if (overlay < 0 || restrict_tree(layer, true, step->source, err) < 0 || attach_layers(m, overlay, err) < 0)
                return -1;
        return keep_layers(m, overlay, step, err);
}

static int overlay_ready(struct mounter *m, int overlay, const struct mount_step *step, struct err *err) {
        return attach_layers(m, overlay, err) < 0 ? -1 : keep_layers(m, overlay, step, err);
}

/* What commands have put in its place in the layer, or over the place that it is to be mounted on, is theirs. */
static bool is_replaced(int sys) {
        return sys == ENOENT || sys == ENOTDIR || sys == ELOOP;
}

/* Also by attributes of the overlay, which they can set on directories of the layer: then the kernel refuses to open the
 * directory. That must not keep later commands from running. */
static bool is_spoilt(int sys) {
        return sys == EPERM || sys == EINVAL || sys == EIO || sys == ESTALE || sys == EOVERFLOW || sys == ERANGE;
}

static int leave_out(const char *path, struct err *err) {
        return is_replaced(errno) || is_spoilt(errno) ? 0 : err_sys(err, "%s", path);
}

static int mount_shown(struct mounter *m, const struct mount_step *step, struct err *err) {
        FD_AUTO found = kernel_openat2(m->layers, step->source + strlen(m->home) + 1, O_PATH | O_DIRECTORY | O_CLOEXEC,
                                       no_links | RESOLVE_BENEATH);
        FD_AUTO part = -1, target = -1;

        m->id = 0;
        if (found < 0)
                return leave_out(step->source, err);
        target = kernel_openat2(m->root, relative(step->target), O_PATH | O_DIRECTORY | O_CLOEXEC, no_links);
        if (target < 0)
                return leave_out(step->target, err);
        part = open_tree(found, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
        if (part < 0)
                return err_sys(err, "%s", step->source);
        m->id = mount_id(part);
        return attach_to(target, part, step->target, true, err); /* restricted as the overlay is */
}

/* One that is gone is not mounted, and so not reached. */
static int bind_socket(struct mounter *m, int source, const struct mount_step *step, struct err *err) {
        if (source < 0 || bind_source(m, source, step, err) == 0)
                return 0;
        return err->sys == ENOENT || err->sys == ENOTDIR || err->sys == ESTALE ? 0 : -1;
}

/* A directory of the store, at another place, too. */
static int attach_private(struct mounter *m, const char *name, bool directory, bool read_only, const char *target,
                          struct err *err) {
        FD_AUTO part = open_tree(m->private, name, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

        if (part < 0)
                return err_sys(err, "private place for %s", target);
        if (restrict_tree(part, read_only, target, err) < 0)
                return -1;
        m->id = mount_id(part);
        return attach(m, part, target, directory, err);
}

static int mount_tmpfs(struct mounter *m, const char *target, struct err *err) {
        char name[16];

        snprintf(name, sizeof(name), "%d", m->made++);
        if (mkdirat(m->private, name, 01777) < 0)
                return err_sys(err, "private place for %s", target);
        return attach_private(m, name, true, false, target, err);
}

static int mount_session_tmp(struct mounter *m, const char *target, struct err *err) {
        if (m->tmp < 0)
                return err_set(err, ERR_INVALID, "a list of mounts without the /tmp of its session");
        return attach(m, m->tmp, target, true, err);
}

/* Parts of it can be cloned when it is in its place. */
static int mount_staged(struct mounter *m, const struct mount_step *step, struct err *err) {
        FD_AUTO found = -1, part = -1;

        if (m->stage < 0)
                return err_set(err, ERR_INVALID, "a list of mounts without the stage of its workspace");
        if (!m->staged) {
                m->staged = step->target;
                m->id = mount_id(m->stage);
                return attach(m, m->stage, step->target, true, err);
        }
        found = kernel_openat2(m->stage, step->source + strlen(m->staged) + 1, O_PATH | O_CLOEXEC, no_links | RESOLVE_BENEATH);
        if (found < 0)
                return mount_failed(step->source, err);
        part = open_tree(found, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
        if (part < 0)
                return err_sys(err, "%s", step->source);
        return bind_source(m, part, step, err);
}

/* Read-only as a whole: a process of uid 0 may write kernel settings here without any capability. */
static int mount_proc(const struct mounter *m, const struct mount_step *step, struct err *err) {
        unsigned int attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY;
        FD_AUTO fs = new_mount("proc", NULL, attributes, err);

        return fs < 0 ? -1 : attach(m, fs, step->target, true, err);
}

static int make_masks(struct mounter *m, struct err *err) {
        if (!m->masked && (mkdirat(m->private, "closed", 0) < 0 || mknodat(m->private, "closed-file", S_IFREG, 0) < 0))
                return err_sys(err, "masks");
        m->masked = true;
        return 0;
}

/* In its place stands a file or a directory that nobody may open, on a mount that nobody can change. */
static int mount_mask(struct mounter *m, const struct mount_step *step, struct err *err) {
        bool directory = step->kind == MOUNT_MASK_DIR;

        if (make_masks(m, err) < 0)
                return -1;
        if (attach_private(m, directory ? "closed" : "closed-file", directory, true, step->target, err) < 0)
                return -1;
        m->id = 0; /* another one may be mounted over it */
        return 0;
}

static int cover_layers(struct mounter *m, struct err *err) {
        FD_AUTO part = -1;

        if (m->layers < 0)
                return 0;
        if (restrict_tree(m->layers, true, "home of the workspace", err) < 0 || make_masks(m, err) < 0)
                return -1;
        fd_close(TAKE_FD(m->layers));
        part = open_tree(m->private, "closed", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
        if (part < 0)
                return err_sys(err, "home of the workspace");
        return restrict_tree(part, true, "home of the workspace", err) < 0 ? -1 : attach_layers(m, part, err);
}

static int mount_text(struct mounter *m, const struct mount_step *step, struct err *err) {
        FD_AUTO fd = -1;
        char name[16];

        snprintf(name, sizeof(name), "%d", m->made++);
        fd = openat(m->private, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
        if (fd < 0)
                return err_sys(err, "private file for %s", step->target);
        if (fd_write_all(fd, str_z(step->source), err) < 0)
                return err_context(err, "private file for %s", step->target);
        return attach_private(m, name, false, true, step->target, err);
}

static int seal(const struct mounter *m, const struct mount_step *step, struct err *err) {
        struct mount_attr attributes = { .attr_set = MOUNT_ATTR_RDONLY };

        if (mount_setattr(m->root, relative(step->target), AT_SYMLINK_NOFOLLOW, &attributes, sizeof(attributes)) < 0)
                return err_sys(err, "sealing %s", step->target);
        return 0;
}

static int make_link(const struct mounter *m, const struct mount_step *step, struct err *err) {
        FD_AUTO parent = open_parent(m, step->target, err);

        if (parent < 0)
                return -1;
        return symlinkat(step->source, parent, last_name(step->target)) < 0 ? err_sys(err, "%s", step->target) : 0;
}

/* ---- /dev ---- */

static const char *const devices[] = { "null", "zero", "full", "random", "urandom", "tty" };

enum { DEVICE_COUNT = sizeof(devices) / sizeof(*devices) };

static const struct {
        const char *name, *text;
} device_links[] = {
        { "fd", "/proc/self/fd" },       { "stdin", "/proc/self/fd/0" }, { "stdout", "/proc/self/fd/1" },
        { "stderr", "/proc/self/fd/2" }, { "ptmx", "pts/ptmx" },
};

/* One of the host's nodes, as in a user namespace nobody can make any. On a read-only mount a device can be written, but its
 * mode, owner and times cannot. */
static int take_device(const char *name, struct err *err) {
        struct mount_attr attributes = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY };
        FD_AUTO node = -1;
        char path[32];

        snprintf(path, sizeof(path), "/dev/%s", name);
        node = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
        if (node < 0 || mount_setattr(node, "", AT_EMPTY_PATH, &attributes, sizeof(attributes)) < 0)
                return err_sys(err, "%s", path);
        return TAKE_FD(node);
}

static int take_devices(int ret_nodes[static DEVICE_COUNT], struct err *err) {
        for (int i = 0; i < DEVICE_COUNT; i++) {
                ret_nodes[i] = take_device(devices[i], err);
                if (ret_nodes[i] < 0)
                        return -1;
        }
        return 0;
}

static int attach_in(int dev, int mount, const char *name, struct err *err) {
        FD_AUTO place = openat(dev, name, O_PATH | O_CLOEXEC | O_NOFOLLOW);

        if (place < 0 || move_mount(mount, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
                return err_sys(err, "mounting /dev/%s", name);
        return 0;
}

static int fill_dev(int dev, int nodes[static DEVICE_COUNT], struct err *err) {
        static const char *const options[] = { "ptmxmode", "0666", "mode", "0620", NULL };
        FD_AUTO pts = new_mount("devpts", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, err);

        if (pts < 0)
                return -1;
        for (int i = 0; i < DEVICE_COUNT; i++) {
                if (mknodat(dev, devices[i], S_IFREG | 0666, 0) < 0)
                        return err_sys(err, "/dev/%s", devices[i]);
                if (attach_in(dev, nodes[i], devices[i], err) < 0)
                        return -1;
                fd_close(nodes[i]);
        }
        for (size_t i = 0; i < sizeof(device_links) / sizeof(*device_links); i++)
                if (symlinkat(device_links[i].text, dev, device_links[i].name) < 0)
                        return err_sys(err, "/dev/%s", device_links[i].name);
        return mkdirat(dev, "pts", 0755) < 0 ? err_sys(err, "/dev/pts") : attach_in(dev, pts, "pts", err);
}

static int note_own(int fd, uint64_t *ret, struct err *err) {
        struct stat st;

        if (fstat(fd, &st) < 0)
                return err_sys(err, "tmpfs");
        *ret = st.st_dev;
        return 0;
}

/* The largest of the sizes asked for is what all private places together may hold. */
static int open_store(struct mounter *m, const struct mount_step *steps, const struct mount_places *places, size_t count,
                      struct err *err) {
        const char *target = NULL;
        uint64_t size = 0;

        for (size_t i = 0; i < count; i++) {
                if (steps[i].kind == MOUNT_DEV) {
                        target = steps[i].target;
                        m->target = places ? &places[i].target : NULL;
                }
                if (steps[i].kind != MOUNT_ROOT_EMPTY && steps[i].size > size)
                        size = steps[i].size;
        }
        if (!target)
                return err_set(err, ERR_INVALID, "a list of mounts without /dev");
        m->store = new_tmpfs(size, "0755", MOUNT_ATTR_NOSUID, err);
        if (m->store < 0 || attach(m, m->store, target, true, err) < 0 || note_own(m->store, &m->own[OWN_STORE], err) < 0)
                return -1;
        if (mkdirat(m->store, ".private", 0) < 0)
                return err_sys(err, "%s", target);
        m->private = openat(m->store, ".private", O_PATH | O_CLOEXEC | O_DIRECTORY);
        return m->private < 0 ? err_sys(err, "%s", target) : 0;
}

static int close_store(struct mounter *m, struct err *err) {
        struct mount_attr attributes = { .attr_set = MOUNT_ATTR_RDONLY };

        fd_close(m->private);
        if (mount_setattr(m->store, "", AT_EMPTY_PATH, &attributes, sizeof(attributes)) < 0)
                return err_sys(err, "sealing /dev");
        fd_close(m->store);
        return 0;
}

/* ---- the root ---- */

/* In place: nothing below stays writable, and what is mounted later says for itself what it is. */
static int keep_root(struct mounter *m, struct err *err) {
        m->root = open("/", O_PATH | O_CLOEXEC | O_DIRECTORY);
        return m->root < 0 ? err_sys(err, "/") : restrict_tree(m->root, true, "/", err);
}

/* Beside the old one, which still has all the sources. */
static int make_root(struct mounter *m, uint64_t size, const char *mode, struct err *err) {
        FD_AUTO place = open("/tmp", O_PATH | O_CLOEXEC | O_DIRECTORY);

        if (place < 0)
                place = open("/usr", O_PATH | O_CLOEXEC | O_DIRECTORY);
        m->empty = true;
        m->root = new_tmpfs(size, mode, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, err);
        if (m->root < 0)
                return -1;
        if (move_mount(m->root, "", place, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
                return err_sys(err, "mounting an empty root");
        return note_own(m->root, &m->own[OWN_ROOT], err);
}

static int enter_root(const struct mounter *m, struct err *err) {
        if (!m->empty)
                return 0;
        if (fchdir(m->root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
                return err_sys(err, "entering the new root");
        return 0;
}

/* ---- all ---- */

static int do_step(struct mounter *m, const struct mount_step *step, int source, int nodes[static DEVICE_COUNT],
                   struct err *err) {
        switch (step->kind) {
        case MOUNT_ROOT_HOST: /* done before all others */
        case MOUNT_ROOT_EMPTY:
                return 0;
        case MOUNT_READ:
        case MOUNT_WRITE:
                return bind_source(m, source, step, err);
        case MOUNT_LAYERS:
                return m->lower >= 0 ? overlay_mapped(m, source, step, err) : overlay_ready(m, source, step, err);
        case MOUNT_STAGE:
                return mount_staged(m, step, err);
        case MOUNT_SHOWN:
                return mount_shown(m, step, err);
        case MOUNT_SOCKET:
                return bind_socket(m, source, step, err);
        case MOUNT_SESSION_TMP:
                return mount_session_tmp(m, step->target, err);
        case MOUNT_TMPFS:
                return mount_tmpfs(m, step->target, err);
        case MOUNT_SYMLINK:
                return make_link(m, step, err);
        case MOUNT_TEXT:
                return mount_text(m, step, err);
        case MOUNT_PROC:
                return mount_proc(m, step, err);
        case MOUNT_DEV:
                return fill_dev(m->store, nodes, err) < 0 ? -1 : mount_tmpfs(m, "/dev/shm", err);
        case MOUNT_MASK_DIR:
        case MOUNT_MASK_FILE:
                return mount_mask(m, step, err);
        case MOUNT_SEAL:
                return seal(m, step, err);
        }
        return err_set(err, ERR_INVALID, "unknown mount step %d", (int)step->kind);
}

/* Those of what is only shown are made with the layer (home/layer.c), and left out if commands have removed them. */
static int make_point(const struct mount_step *step, struct err *err) {
        if (!step->point || step->kind == MOUNT_SHOWN)
                return 0;
        return mount_make_point(step->point, step->source, step->kind == MOUNT_SOCKET, err);
}

/* -1: it is none, or a socket that is gone. */
static int take_one(const struct mount_step *step, const struct mount_places *places, int userns, int *ret, struct err *err) {
        *ret = -1;
        if (make_point(step, err) < 0)
                return -1;
        if (step->kind != MOUNT_READ && step->kind != MOUNT_WRITE && step->kind != MOUNT_SOCKET)
                return 0;
        *ret = take_source(step, places ? &places->source : NULL, userns, err);
        if (*ret >= 0 || (step->kind == MOUNT_SOCKET && (err->sys == ENOENT || err->sys == ENOTDIR)))
                return 0;
        return -1;
}

static int take_sources(const struct mount_step *steps, const struct mount_places *places, size_t count, int *ret_sources,
                        struct home_run *ret_run, struct err *err) {
        for (size_t i = 0; i < count; i++) {
                if (take_one(&steps[i], places ? &places[i] : NULL, -1, &ret_sources[i], err) < 0)
                        return -1;
                if (steps[i].kind != MOUNT_LAYERS)
                        continue;
                ret_sources[i] = mount_overlay(steps[i].source, steps[i].target, ret_run, err);
                if (ret_sources[i] < 0)
                        return -1;
        }
        return 0;
}

/* The layer, and the home directory, each a mount of its own. */
static int send_layers(const struct mount_step *step, int number, int home_number, int userns, struct mapped_sender *sender,
                       struct err *err) {
        const struct mapped_copy how = { .userns = userns, .alone = true };
        FD_AUTO layer = kernel_openat2(AT_FDCWD, step->source, O_PATH | O_DIRECTORY | O_CLOEXEC, no_links);
        FD_AUTO home = kernel_openat2(AT_FDCWD, step->target, O_PATH | O_DIRECTORY | O_CLOEXEC, no_links);
        FD_AUTO layer_copy = layer < 0 ? mount_failed(step->source, err) : mapped_copy(layer, step->source, &how, err);
        FD_AUTO home_copy = -1;

        if (layer_copy < 0)
                return -1;
        home_copy = home < 0 ? mount_failed(step->target, err) : mapped_copy(home, step->target, &how, err);
        if (home_copy < 0)
                return -1;
        return mapped_send(sender, number, TAKE_FD(layer_copy), err) < 0 ||
                               mapped_send(sender, home_number, TAKE_FD(home_copy), err) < 0
                       ? -1
                       : 0;
}

int mount_send(const struct mount_step *steps, const struct mount_places *places, size_t count, int userns, int socket,
               struct err *err) {
        struct mapped_sender sender = { .socket = socket };
        int result = 0;

        for (size_t i = 0; result == 0 && i < count; i++) {
                int source;

                result = take_one(&steps[i], places ? &places[i] : NULL, userns, &source, err);
                if (result == 0 && source >= 0)
                        result = mapped_send(&sender, (int)i, source, err);
                if (result == 0 && steps[i].kind == MOUNT_LAYERS)
                        result = send_layers(&steps[i], (int)i, (int)count, userns, &sender, err);
        }
        if (result < 0)
                mapped_cancel(&sender);
        return result < 0 ? -1 : mapped_end(&sender, err);
}

static int receive_sources(struct mounter *m, const struct mapped_channel *passed, size_t count, int *ret_sources,
                           struct err *err) {
        for (size_t i = 0; i <= count; i++)
                ret_sources[i] = -1;
        if (mapped_receive(passed, ret_sources, count + 1, err) < 0)
                return -1;
        m->lower = ret_sources[count];
        return 0;
}

/* Who may rename a directory that was mounted on takes the mount elsewhere with it: what came later was mounted on another one.
 */
static bool is_in_place(const struct mounter *m, const struct mount_step *step, uint64_t id) {
        FD_AUTO fd = -1;

        /* One that is shown may be beyond a link of another command: that is a way to this mount, too. */
        if (step->kind == MOUNT_SHOWN)
                return mount_id_at(m->root, relative(step->target), AT_SYMLINK_NOFOLLOW) == id;
        fd = kernel_openat2(m->root, relative(step->target), O_PATH | O_CLOEXEC, no_links);
        return fd >= 0 && mount_id(fd) == id;
}

static int verify_points(const struct mounter *m, const struct mount_step *steps, const uint64_t *ids, size_t count,
                         struct err *err) {
        for (size_t i = 0; i < count; i++)
                if (ids[i] && !is_in_place(m, &steps[i], ids[i]))
                        return mount_failed(steps[i].target, err);
        return 0;
}

/* A command of the session that does not have it mounted could rename it meanwhile. All that is deeper is in one of these. */
static bool is_in_session_tmp(const struct mount_step *steps, size_t count, size_t index) {
        const struct mount_list list = { .items = (struct mount_step *)steps, .count = count };
        const char *target = steps[index].target;

        for (size_t i = 0; target && i < index; i++)
                if (steps[i].kind == MOUNT_SESSION_TMP)
                        return path_below(target, steps[i].target) && !strchr(target + strlen(steps[i].target) + 1, '/') &&
                               !mounts_cover(&list, index, target);
        return false;
}

/* Commands of the same stage may rename what is in it meanwhile, and its files are not those of the workspace. */
static bool is_in_stage(const struct mounter *m, const struct mount_step *step) {
        return m->staged && step->target && path_below(step->target, m->staged);
}

static bool is_verified(const struct mounter *m, const struct mount_step *steps, size_t count, size_t i) {
        const struct mount_list list = { .items = (struct mount_step *)steps, .count = count };

        return steps[i].point || is_in_session_tmp(steps, count, i) ||
               (is_in_stage(m, &steps[i]) && !mounts_cover(&list, i, steps[i].target));
}

static int do_steps(const struct mount_step *steps, const struct mount_places *places, size_t count,
                    const struct mount_given *given, struct home_run *ret_run, struct err *err) {
        int sources[MOUNTS_MAX + 1]; /* nothing is allocated in here */
        uint64_t ids[MOUNTS_MAX];
        int nodes[DEVICE_COUNT];
        struct mounter m = { .root = -1,
                             .store = -1,
                             .private = -1,
                             .layers = -1,
                             .tmp = given->tmp,
                             .stage = given->stage,
                             .lower = -1,
                             .run = { .fd = -1 } };
        bool empty = count && steps[0].kind == MOUNT_ROOT_EMPTY;

        if (take_devices(nodes, err) < 0 || (!given->passed && take_sources(steps, places, count, sources, &m.run, err) < 0) ||
            (empty ? make_root(&m, steps[0].size, "0755", err) : keep_root(&m, err)) < 0 ||
            open_store(&m, steps, places, count, err) < 0 || (m.tmp >= 0 && note_own(m.tmp, &m.own[OWN_TMP], err) < 0) ||
            (given->passed && receive_sources(&m, given->passed, count, sources, err) < 0))
                return -1;
        for (size_t i = 0; i < count; i++) {
                m.target = places && !steps[i].point && !is_in_stage(&m, &steps[i]) ? &places[i].target : NULL;
                m.id = 0;
                if (do_step(&m, &steps[i], sources[i], nodes, err) < 0)
                        return -1;
                ids[i] = is_verified(&m, steps, count, i) ? m.id : 0;
                fd_close(sources[i]);
        }
        if (verify_points(&m, steps, ids, count, err) < 0 || cover_layers(&m, err) < 0 || close_store(&m, err) < 0 ||
            enter_root(&m, err) < 0)
                return -1;
        fd_close(m.root);
        *ret_run = m.run;
        return 0;
}

int mount_all(const struct mount_step *steps, const struct mount_places *places, size_t count, const struct mount_given *given,
              struct home_run *ret_run, struct err *err) {
        mode_t mask = umask(0); /* modes are meant as they are written */
        int result;

        if (count > MOUNTS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "more than %d mounts", MOUNTS_MAX);
        if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
                return err_sys(err, "making mounts private");
        *ret_run = (struct home_run){ .fd = -1 };
        result = do_steps(steps, places, count, given, ret_run, err);
        umask(mask);
        return result;
}

int mount_alone(uint64_t size, uid_t owner, struct err *err) {
        struct mounter m = { .root = -1 };

        if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
                return err_sys(err, "making mounts private");
        if (make_root(&m, size, "1777", err) < 0 || enter_root(&m, err) < 0)
                return -1;
        if (owner != geteuid() && fchownat(m.root, "", owner, owner, AT_EMPTY_PATH) < 0)
                return err_sys(err, "owner of the new root");
        return m.root;
}

static int attach_named(int root, int mount, const char *name, struct err *err) {
        FD_AUTO place = -1;

        if (mkdirat(root, name, 0700) < 0)
                return err_sys(err, "stage");
        place = openat(root, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
        return place < 0 ? err_sys(err, "stage") : attach_to(place, mount, "stage", true, err);
}

/* Mounts that an overlay is made of have to be in this namespace (before Linux 6.15). */
static int place_layers(int root, const int layers[static 2], struct err *err) {
        if (layers[0] < 0)
                return 0;
        return attach_named(root, layers[0], "workspace", err) < 0 ? -1 : attach_named(root, layers[1], "stage", err);
}

int mount_stage(const char *workspace, const char *stage, const int layers[static 2], struct err *err) {
        struct mounter m = { .root = -1 };
        FD_AUTO lower = -1, run = -1, overlay = -1;
        char lower_path[32];

        if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
                return err_sys(err, "making mounts private");
        lower = layers[0] >= 0 ? fcntl(layers[0], F_DUPFD_CLOEXEC, 0)
                               : kernel_openat2(AT_FDCWD, workspace, O_PATH | O_DIRECTORY | O_CLOEXEC, no_links);
        run = layers[1] >= 0 ? fcntl(layers[1], F_DUPFD_CLOEXEC, 0)
                             : kernel_openat2(AT_FDCWD, stage, O_PATH | O_DIRECTORY | O_CLOEXEC, no_links);
        if (lower < 0 || run < 0)
                return mount_failed(lower < 0 ? workspace : stage, err);
        snprintf(lower_path, sizeof(lower_path), "/proc/self/fd/%d", lower);
        if (make_root(&m, STAGE_ROOT_SIZE, "0700", err) < 0 || place_layers(m.root, layers, err) < 0)
                return -1;
        overlay = make_overlay(lower_path, run, "the workspace", err);
        if (overlay < 0 || attach_named(m.root, overlay, "overlay", err) < 0 || enter_root(&m, err) < 0)
                return -1;
        return TAKE_FD(overlay);
}

/* ---- for a wrapper ---- */

/* It has no option for it, but keeps what it finds. */
int mount_keep_devices(struct err *err) {
        if (unshare(CLONE_NEWNS) < 0)
                return err_sys(err, "a mount namespace to keep devices in");
        if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
                return err_sys(err, "making mounts private");
        for (int i = 0; i < DEVICE_COUNT; i++) {
                FD_AUTO node = take_device(devices[i], err);
                FD_AUTO dev = open("/dev", O_PATH | O_CLOEXEC | O_DIRECTORY);

                if (node < 0)
                        return -1;
                if (dev < 0)
                        return err_sys(err, "/dev");
                if (attach_in(dev, node, devices[i], err) < 0)
                        return -1;
        }
        return 0;
}

/* ---- what a wrapper has made ---- */

/* That the right file is at a place is not enough: who may rename what is mounted on can put it there beside the mount of
 * another one. So it has to be a mount itself, of its own; then as many are right as were made, and there is no other. */
static int verify_one(const struct wrapped_mount *mount, uint64_t *ret_id, bool *ret_other, struct err *err) {
        FD_AUTO fd = kernel_openat2(AT_FDCWD, mount->target, O_PATH | O_CLOEXEC, no_links);
        struct statfs fs;
        struct statx st;

        if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_INO | STATX_MNT_ID, &st) < 0 ||
            fstatfs(fd, &fs) < 0)
                return mount_failed(mount->target, err);
        if (!(st.stx_mask & STATX_MNT_ID) || !(st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT))
                return err_set(err, ERR_UNSUPPORTED, "cannot identify mounts: requires Linux 5.8");
        *ret_id = st.stx_mnt_id;
        *ret_other = S_ISSOCK(st.stx_mode) && st.stx_attributes & STATX_ATTR_MOUNT_ROOT && fs.f_flags & ST_RDONLY;
        if (makedev(st.stx_dev_major, st.stx_dev_minor) == mount->device && st.stx_ino == mount->inode &&
            st.stx_attributes & STATX_ATTR_MOUNT_ROOT && (mount->write || fs.f_flags & ST_RDONLY))
                return 0;
        errno = ESTALE;
        return mount_failed(mount->target, err);
}

static bool is_among(const uint64_t *ids, size_t count, uint64_t id) {
        for (size_t i = 0; i < count; i++)
                if (ids[i] == id)
                        return true;
        return false;
}

/* It was gone, or is another socket by now, which is then not one that may be reached. */
static bool forgive(const struct wrapped_mount *mount, bool other, const struct err *err, struct broker_plan *broker) {
        size_t kept = 0;

        if (!mount->optional || (err->sys != ENOENT && err->sys != ENOTDIR && !(err->sys == ESTALE && other)))
                return false;
        for (size_t i = 0; broker->sockets && broker->sockets[i]; i++)
                if (strcmp(broker->sockets[i], mount->target) != 0)
                        ((const char **)broker->sockets)[kept++] = broker->sockets[i];
        if (broker->sockets)
                ((const char **)broker->sockets)[kept] = NULL;
        return true;
}

int mount_verify(const struct wrapped_mount *mounts, size_t count, struct broker_plan *broker, struct err *err) {
        uint64_t ids[MOUNTS_MAX];

        if (count > MOUNTS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "more than %d mounts", MOUNTS_MAX);
        for (size_t i = 0; i < count; i++) {
                bool other = false;
                uint64_t id = 0;

                if (verify_one(&mounts[i], &id, &other, err) < 0 && !forgive(&mounts[i], other, err, broker))
                        return -1;
                if (id && is_among(ids, i, id)) {
                        errno = ESTALE;
                        return mount_failed(mounts[i].target, err);
                }
                ids[i] = id;
        }
        return 0;
}
