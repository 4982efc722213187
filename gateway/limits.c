#include "gateway/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
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

enum { MEMORY_MAX = 512 << 20 }; /* on top of what is mapped */

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

static int limit_files(const struct limits *limits, struct err *err) {
        struct landlock_plan plan = { .wanted = true, .rules = limits->rules, .rule_count = limits->rule_count };

        if (kernel_landlock_version() < 0 && errno != ENOSYS && errno != EOPNOTSUPP)
                return err_sys(err, "Landlock");
        return landlock_apply(&plan, -1, err);
}

/* ---- system calls ---- */

#if defined(__x86_64__)
enum { ARCHITECTURE = AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

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
};

static const struct sock_filter filter_sockets[] = {
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
};

/* The parts, and then the number is compared with the list. */
static int limit_calls(const struct limits *limits, struct err *err) {
        enum {
                HEAD = sizeof(filter_head) / sizeof(filter_head[0]),
                SOCKETS = sizeof(filter_sockets) / sizeof(filter_sockets[0])
        };
        /* tgkill() is for abort(): without scopes of Landlock it would reach all processes of the user */
        const struct sock_filter end[] = {
                IF_EQUAL(SYS_tgkill, 0, 2), LOAD_ARGUMENT(0), IF_EQUAL(getpid(), 1, 0), RETURN(FAIL), RETURN(SECCOMP_RET_ALLOW),
        };
        enum { END = sizeof(end) / sizeof(end[0]) };
        struct sock_filter filter[HEAD + SOCKETS + LIMITS_CALLS_MAX + END];
        struct sock_fprog program = { .filter = filter };
        size_t used = HEAD;

        memcpy(filter, filter_head, sizeof(filter_head));
        if (limits->sockets) {
                memcpy(filter + used, filter_sockets, sizeof(filter_sockets));
                used += SOCKETS;
        }
        if (limits->call_count > LIMITS_CALLS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "seccomp: too many system calls");
        for (size_t i = 0; i < limits->call_count; i++)
                filter[used + i] =
                        (struct sock_filter)IF_EQUAL(limits->calls[i], (uint8_t)(limits->call_count - i + END - 2), 0);
        used += limits->call_count;
        memcpy(filter + used, end, sizeof(end));
        program.len = (unsigned short)(used + END);
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? err_sys(err, "seccomp") : 0;
}

static int drop_capabilities(struct err *err) {
        struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct none[2] = {};

        return syscall(SYS_capset, &head, none) < 0 ? err_sys(err, "dropping capabilities") : 0;
}

int limits_begin(const struct limits *limits, struct err *err) {
        if (prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                return err_sys(err, "prctl");
        return limit_memory(err) < 0 ? -1 : limit_files(limits, err);
}

int limits_finish(const struct limits *limits, struct err *err) {
        return drop_capabilities(err) < 0 ? -1 : limit_calls(limits, err);
}

void limits_signals(void) {
        static const int ignored[] = { SIGPIPE, SIGINT, SIGQUIT, SIGHUP, SIGTSTP };
        sigset_t none;

        for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
                signal(ignored[i], SIG_IGN);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
}

size_t limits_connections(size_t spare, size_t max) {
        struct rlimit limit = { 1024, 1024 };
        size_t room;

        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
        room = limit.rlim_cur > spare + 2 ? (limit.rlim_cur - spare) / 2 : 1;
        return room < max ? room : max;
}

int limits_end_with_pipe(int fd, struct err *err) {
        if (fcntl(fd, F_SETSIG, SIGKILL) < 0 || fcntl(fd, F_SETOWN, getpid()) < 0 ||
            fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) < 0)
                return err_sys(err, "the pipe of the engine");
        return 0;
}
