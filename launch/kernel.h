/*
 * System calls and constants that the C library, or the kernel headers of a distribution, do not have yet.
 */
#ifndef BAILEY_LAUNCH_KERNEL_H
#define BAILEY_LAUNCH_KERNEL_H

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- clone3, kernel 5.3 ---- */

struct clone3_args {
        uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

/* Like fork(): no stack of its own. Runs no atfork handlers, see launch/clone.h. */
static inline pid_t kernel_clone3(struct clone3_args *args) {
        return (pid_t)syscall(SYS_clone3, args, sizeof(*args));
}

/* ---- pidfds, kernel 5.4 ---- */

enum { KERNEL_P_PIDFD = 3 }; /* for waitid(); newer C libraries have it as P_PIDFD */

enum { KERNEL_PIDFD_THREAD = O_EXCL }; /* Linux 6.9 */

static inline int kernel_pidfd_open(pid_t pid) {
        return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* ---- setitimer: nothing that a process of the caller may use, whose timers are its own. For pid 1 of a sandbox ---- */

static inline void kernel_set_timer(const struct itimerval *value) {
        (void)syscall(SYS_setitimer, ITIMER_REAL, value, NULL);
}

/* ---- getdents64: readdir() would allocate ---- */

struct kernel_dirent {
        uint64_t ino;
        int64_t off;
        uint16_t size;
        uint8_t type;
        char name[];
};

enum { KERNEL_DIRENTS_SIZE = 4096 };

/* The next entries; returns their size in bytes, 0 at the end, -1. */
static inline long kernel_getdents(int fd, char ret[static KERNEL_DIRENTS_SIZE]) {
        return syscall(SYS_getdents64, fd, ret, KERNEL_DIRENTS_SIZE);
}

/* ---- openat2, kernel 5.6 ---- */

static inline int kernel_openat2(int dir, const char *path, uint64_t flags, uint64_t resolve) {
        struct open_how how = { .flags = flags, .resolve = resolve };

        return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* ---- seccomp notifications, kernel 6.6 ---- */

#define KERNEL_NOTIF_SET_FLAGS _IOW('!', 4, uint64_t)
#define KERNEL_NOTIF_SYNC_WAKE_UP 1UL

/* ---- Landlock, kernel 5.13 ---- */

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

enum {
        LL_CREATE_VERSION = 1 << 0,
        LL_RULE_PATH = 1,
        LL_FS_EXECUTE = 1 << 0,
        LL_FS_WRITE_FILE = 1 << 1,
        LL_FS_READ_FILE = 1 << 2,
        LL_FS_READ_DIR = 1 << 3,
        LL_FS_TRUNCATE = 1 << 14,  /* ABI 3 */
        LL_FS_IOCTL_DEV = 1 << 15, /* ABI 5 */
        LL_NET_BIND_TCP = 1 << 0,  /* ABI 4 */
        LL_NET_CONNECT_TCP = 1 << 1,
        LL_SCOPE_ABSTRACT_UNIX = 1 << 0, /* ABI 6 */
        LL_SCOPE_SIGNAL = 1 << 1,
};

struct ll_ruleset {
        uint64_t fs, net, scoped;
};

struct ll_path {
        uint64_t allowed;
        int32_t fd;
} __attribute__((packed));

/* The version of Landlock that this kernel has; -1: none. */
static inline int kernel_landlock_version(void) {
        return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LL_CREATE_VERSION);
}

#endif
