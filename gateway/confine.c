/*
 * What the gateway takes from itself before it reads anything of a command: it parses hostile bytes, and needs nothing but
 * sockets.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "gateway/limits.h"
#include "gateway/loop.h"

/* ---- files ---- */

/* resolv.conf is often a link into /run, and is replaced by renaming: so its directory is allowed. "": none, or the root, of
 * which not everything is to be read. */
static int directory_of(const char *resolv_conf, char ret[static PATH_MAX], struct err *err) {
        if (!realpath(resolv_conf, ret)) {
                ret[0] = '\0';
                return errno == ENOENT || errno == ENOTDIR ? 0 : err_sys(err, "%s", resolv_conf);
        }
        *strrchr(ret, '/') = '\0';
        return 0;
}

/* All that the loop, c-ares and malloc() need. Nothing that makes a process, a name in a file system or code. */
/* clang-format off */
static const int allowed_calls[] = {
        SYS_accept4, SYS_bind, SYS_brk, SYS_clock_gettime, SYS_clock_nanosleep, SYS_close, SYS_connect,
        SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_exit, SYS_exit_group, SYS_faccessat, SYS_fcntl,
        SYS_fstat, SYS_futex, SYS_getpeername, SYS_getpid, SYS_getrandom, SYS_getsockname, SYS_getsockopt, SYS_gettid,
        SYS_gettimeofday, SYS_listen, SYS_lseek, SYS_madvise, SYS_mremap, SYS_munmap, SYS_newfstatat, SYS_openat,
        SYS_pipe2, SYS_read, SYS_readv, SYS_recvfrom, SYS_recvmsg, SYS_restart_syscall, SYS_rt_sigprocmask,
        SYS_rt_sigreturn, SYS_sendmsg, SYS_sendto, SYS_setsockopt, SYS_shutdown, SYS_sigaltstack, SYS_splice, SYS_uname,
        SYS_write, SYS_writev,
#ifdef SYS_epoll_wait
        SYS_epoll_wait, SYS_open, SYS_stat, SYS_access,
#endif
};
/* clang-format on */

enum { NOBODY = 65534 };

static bool can_read(const char *path) {
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

        return fd >= 0 || errno != EACCES;
}

/* Root's gateway has no use for files that only root may read, as /etc/shadow: Landlock lets it read all of /etc. Where
 * resolv.conf is such a file, or nobody is no user of this namespace, it stays as it is. */
static void read_as_nobody(const char *resolv_conf) {
        if (geteuid() != 0)
                return;
        (void)syscall(SYS_setgroups, 0, NULL);
        setfsgid(NOBODY);
        setfsuid(NOBODY);
        if (!can_read(resolv_conf) || !can_read("/etc/hosts")) {
                setfsuid(0);
                setfsgid(0);
        }
}

int confine(const char *resolv_conf, struct err *err) {
        char directory[PATH_MAX];
        /* c-ares takes its random numbers from /dev/urandom, for each channel anew */
        const struct landlock_rule rules[] = { { "/etc", GRANT_LOOK },
                                               { "/dev/urandom", GRANT_LOOK },
                                               { directory, GRANT_LOOK } };
        struct limits limits = { .rules = rules,
                                 .calls = allowed_calls,
                                 .call_count = sizeof(allowed_calls) / sizeof(allowed_calls[0]),
                                 .sockets = true };

        if (directory_of(resolv_conf, directory, err) < 0)
                return -1;
        limits.rule_count = directory[0] ? 3 : 2;
        if (limits_begin(&limits, err) < 0)
                return -1;
        read_as_nobody(resolv_conf);
        return limits_finish(&limits, err);
}
