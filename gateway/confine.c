/*
 * What the gateway takes from itself before it reads anything of a command: it parses hostile bytes, and needs nothing but
 * sockets.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "gateway/loop.h"
#include "launch/inside.h"
#include "launch/kernel.h"

/* ---- memory ---- */

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { MEMORY_MAX = 512 << 20 }; /* on top of what the engine has mapped */

/* Past it malloc() fails, and a connection with it. */
static int limit_memory(struct err *err) {
        struct rlimit limit, none = { 0, 0 };
        char text[64] = "";
        FD_AUTO fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

        if (setrlimit(RLIMIT_CORE, &none) < 0)
                return err_sys(err, "the limit of core dumps");
        if (SANITIZED)
                return 0; /* maps terabytes */
        if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
                return err_sys(err, "/proc/self/statm");
        limit.rlim_cur = limit.rlim_max = strtoul(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + MEMORY_MAX;
        return setrlimit(RLIMIT_AS, &limit) < 0 ? err_sys(err, "the limit of memory") : 0;
}

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

/* c-ares takes its random numbers from /dev/urandom, for each channel anew. */
static int limit_files(const char *resolv_conf, struct err *err) {
        char directory[PATH_MAX];
        const struct landlock_rule rules[] = { { "/etc", GRANT_LOOK },
                                               { "/dev/urandom", GRANT_LOOK },
                                               { directory, GRANT_LOOK } };
        struct landlock_plan plan = { .wanted = true, .rules = rules };

        if (kernel_landlock_version() < 0 && errno != ENOSYS && errno != EOPNOTSUPP)
                return err_sys(err, "Landlock");
        if (directory_of(resolv_conf, directory, err) < 0)
                return -1;
        plan.rule_count = directory[0] ? 3 : 2;
        return landlock_apply(&plan, -1, err);
}

/* ---- system calls ---- */

#if defined(__x86_64__)
enum { ARCHITECTURE = AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* All that the loop, c-ares and malloc() need. Nothing that makes a process, a name in a file system or code. */
/* clang-format off */
static const int allowed_calls[] = {
        SYS_accept4, SYS_bind, SYS_brk, SYS_clock_gettime, SYS_clock_nanosleep, SYS_close, SYS_connect, SYS_epoll_ctl,
        SYS_epoll_pwait, SYS_exit, SYS_exit_group, SYS_faccessat, SYS_fcntl, SYS_fstat, SYS_futex, SYS_getpeername,
        SYS_getpid, SYS_getrandom, SYS_getsockname, SYS_getsockopt, SYS_gettid, SYS_gettimeofday, SYS_listen, SYS_lseek,
        SYS_madvise, SYS_mremap,
        SYS_munmap, SYS_newfstatat, SYS_openat, SYS_pipe2, SYS_read, SYS_readv, SYS_recvfrom, SYS_recvmsg, SYS_restart_syscall,
        SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sendmsg, SYS_sendto, SYS_setsockopt, SYS_shutdown, SYS_sigaltstack,
        SYS_splice, SYS_uname, SYS_write, SYS_writev,
#ifdef SYS_epoll_wait
        SYS_epoll_wait, SYS_open, SYS_stat, SYS_access,
#endif
};
/* clang-format on */

enum {
        FAIL = SECCOMP_RET_ERRNO | ENOSYS,
};

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define LOAD_ARGUMENT(n) \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (n)))
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)
#define IF_BITS(bits, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), yes, no)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(value))

/* Arguments are read by their low half (little-endian), which is all that the kernel looks at. */
static const struct sock_filter filter_head[] = {
        LOAD(arch),
        IF_EQUAL(ARCHITECTURE, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        IF_EQUAL(SYS_execve, 1, 0),
        IF_EQUAL(SYS_execveat, 0, 1),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        IF_EQUAL(SYS_mmap, 1, 0),
        IF_EQUAL(SYS_mprotect, 0, 4),
        LOAD_ARGUMENT(2),
        IF_BITS(PROT_EXEC, 0, 1),
        RETURN(FAIL),
        RETURN(SECCOMP_RET_ALLOW),
        IF_EQUAL(SYS_socket, 0, 10),
        LOAD_ARGUMENT(0),
        IF_EQUAL(AF_INET, 2, 0),
        IF_EQUAL(AF_INET6, 1, 0),
        RETURN(SECCOMP_RET_ERRNO | EAFNOSUPPORT),
        LOAD_ARGUMENT(1),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf),
        IF_EQUAL(SOCK_STREAM, 1, 0),
        IF_EQUAL(SOCK_DGRAM, 0, 1),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_ERRNO | EAFNOSUPPORT),
        /* here the number is compared with the list */
};

static int limit_calls(struct err *err) {
        enum { HEAD = sizeof(filter_head) / sizeof(filter_head[0]), CALLS = sizeof(allowed_calls) / sizeof(allowed_calls[0]) };
        /* tgkill() is for abort(): without scopes of Landlock it would reach all processes of the user */
        const struct sock_filter end[] = {
                IF_EQUAL(SYS_tgkill, 0, 2), LOAD_ARGUMENT(0), IF_EQUAL(getpid(), 1, 0), RETURN(FAIL), RETURN(SECCOMP_RET_ALLOW),
        };
        enum { END = sizeof(end) / sizeof(end[0]) };
        struct sock_filter filter[HEAD + CALLS + END];
        struct sock_fprog program = { .len = HEAD + CALLS + END, .filter = filter };

        memcpy(filter, filter_head, sizeof(filter_head));
        for (size_t i = 0; i < CALLS; i++)
                filter[HEAD + i] = (struct sock_filter)IF_EQUAL(allowed_calls[i], (uint8_t)(CALLS - i + END - 2), 0);
        memcpy(filter + HEAD + CALLS, end, sizeof(end));
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? err_sys(err, "seccomp") : 0;
}

static int drop_capabilities(struct err *err) {
        struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct none[2] = {};

        return syscall(SYS_capset, &head, none) < 0 ? err_sys(err, "dropping capabilities") : 0;
}

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
        if (prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                return err_sys(err, "prctl");
        if (limit_memory(err) < 0 || limit_files(resolv_conf, err) < 0)
                return -1;
        read_as_nobody(resolv_conf);
        if (drop_capabilities(err) < 0)
                return -1;
        return limit_calls(err);
}
