/*
 * The programs, loaded into processes that try what is refused, and into those that do everyday work.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/sandbox/seccomp_test.h"

enum { NOT_LOADED = 200 };

/* In a child; no core is left of those that die. Allocates nothing. */
static void load(const struct program *program) {
        struct sock_fprog loaded = { (unsigned short)program->count, (struct sock_filter *)program->code };
        struct rlimit no_core = { 0, 0 };

        if (setrlimit(RLIMIT_CORE, &no_core) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
            syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &loaded))
                _exit(NOT_LOADED);
}

/* Its errno, 0, or minus the signal that killed it. */
static int wait_for(pid_t pid) {
        int status;

        assert_true(pid > 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

struct attempt {
        const char *name;
        enum syscall_policy policy;
        uint32_t flags;
        long number;
        uint64_t argument[3];
        int result; /* errno, 0, or minus a signal */
};

#define INHERIT SYSCALLS_INHERIT, 0
#define STRICT SYSCALLS_STRICT, 0
#define NO_UNIX SYSCALLS_INHERIT, SECCOMP_NO_UNIX
#define NO_INET SYSCALLS_INHERIT, SECCOMP_NO_INET
#define OWN_LIMITS SYSCALLS_INHERIT, SECCOMP_OWN_LIMITS
#define NO_IPC SYSCALLS_INHERIT, SECCOMP_NO_IPC
#define NO_SETUID SYSCALLS_INHERIT, SECCOMP_NO_SETUID
#define TIOCSTI_REQUEST 0x5412

/* clang-format off */
static const struct attempt attempts[] = {
        { "getppid",                INHERIT, SYS_getppid,          { 0 },                                   0 },
        { "mount",                  INHERIT, SYS_mount,            { 0 },                                   EPERM },
        { "open_tree",              INHERIT, SYS_open_tree,        { 0 },                                   ENOSYS },
        { "chroot",                 INHERIT, SYS_chroot,           { 0 },                                   EPERM },
        { "bpf",                    INHERIT, SYS_bpf,              { 0 },                                   EPERM },
        { "keyctl",                 INHERIT, SYS_keyctl,           { 0 },                                   EPERM },
        { "userfaultfd",            INHERIT, SYS_userfaultfd,      { 0 },                                   EPERM },
        { "setns",                  INHERIT, SYS_setns,            { UINT64_MAX },                          EPERM },
        { "unshare user",           INHERIT, SYS_unshare,          { CLONE_NEWUSER },                       EPERM },
        { "unshare user, high",     INHERIT, SYS_unshare,          { HIGH | CLONE_NEWUSER },                EPERM },
        { "unshare files",          INHERIT, SYS_unshare,          { CLONE_FILES },                         0 },
        { "clone user",             INHERIT, SYS_clone,            { CLONE_NEWUSER | SIGCHLD },             EPERM },
        { "clone user, high",       INHERIT, SYS_clone,            { HIGH | CLONE_NEWUSER | SIGCHLD },      EPERM },
        { "clone3",                 INHERIT, SYS_clone3,           { 0 },                                   ENOSYS },
        { "io_uring_setup",         INHERIT, SYS_io_uring_setup,   { 1 },                                   ENOSYS },
        { "a new call",             INHERIT, 480,                  { 0 },                                   ENOSYS },
        { "no call",                INHERIT, -1,                   { 0 },                                   ENOSYS },
        { "TIOCSTI",                INHERIT, SYS_ioctl,            { 0, TIOCSTI_REQUEST },                  EPERM },
        { "TIOCSTI, high",          INHERIT, SYS_ioctl,            { 0, HIGH | TIOCSTI_REQUEST },           EPERM },
        { "lease",                  INHERIT, SYS_fcntl,            { 0, F_SETLEASE, F_WRLCK },              EPERM },
        { "lease, high",            INHERIT, SYS_fcntl,            { 0, HIGH | F_SETLEASE, F_WRLCK },       EPERM },
        { "which lease",            INHERIT, SYS_fcntl,            { UINT32_MAX, F_GETLEASE },              EBADF },
        { "dnotify",                INHERIT, SYS_fcntl,            { 0, F_NOTIFY },                         EPERM },
        { "large pipe",             INHERIT, SYS_fcntl,            { 0, F_SETPIPE_SZ, 1 << 20 },            EPERM },
        { "usual pipe",             INHERIT, SYS_fcntl,            { UINT32_MAX, F_SETPIPE_SZ, 1 << 16 },   EBADF },
        { "strict lease",           STRICT,  SYS_fcntl,            { 0, F_SETLEASE, F_WRLCK },              EPERM },
        { "packets",                INHERIT, SYS_socket,           { AF_PACKET, SOCK_DGRAM },               EAFNOSUPPORT },
        { "packets, high",          INHERIT, SYS_socket,           { HIGH | AF_PACKET, SOCK_DGRAM },        EAFNOSUPPORT },
        { "vsock",                  INHERIT, SYS_socket,           { AF_VSOCK, SOCK_STREAM },               EAFNOSUPPORT },
        { "raw",                    INHERIT, SYS_socket,           { AF_INET, SOCK_RAW, 1 },                EPERM },
        { "raw, high",              INHERIT, SYS_socket,           { AF_INET, HIGH | SOCK_RAW, 1 },         EPERM },
        { "stream",                 INHERIT, SYS_socket,           { AF_INET, SOCK_STREAM | SOCK_CLOEXEC }, 0 },
        { "unix",                   INHERIT, SYS_socket,           { AF_UNIX, SOCK_STREAM },                0 },
        { "unix, high",             INHERIT, SYS_socket,           { HIGH | AF_UNIX, SOCK_STREAM },         0 },
        { "routes",                 INHERIT, SYS_socket,           { AF_NETLINK, SOCK_RAW, 0 },             0 },
        { "generic netlink",        INHERIT, SYS_socket,           { AF_NETLINK, SOCK_RAW, 16 },            EAFNOSUPPORT },
        { "no unix",                NO_UNIX, SYS_socket,           { AF_UNIX, SOCK_STREAM },                EACCES },
        { "no unix, high",          NO_UNIX, SYS_socket,           { HIGH | AF_UNIX, SOCK_STREAM },         EACCES },
        { "no unix pair",           NO_UNIX, SYS_socketpair,       { AF_UNIX, SOCK_STREAM },                EACCES },
        { "no unix, inet",          NO_UNIX, SYS_socket,           { AF_INET, SOCK_STREAM },                0 },
        { "no inet",                NO_INET, SYS_socket,           { AF_INET, SOCK_DGRAM },                 EACCES },
        { "no inet, high",          NO_INET, SYS_socket,           { HIGH | AF_INET, SOCK_STREAM },         EACCES },
        { "no inet6",               NO_INET, SYS_socket,           { AF_INET6, SOCK_RAW },                  EACCES },
        { "no inet, unix",          NO_INET, SYS_socket,           { AF_UNIX, SOCK_STREAM },                0 },
        { "own limits",             OWN_LIMITS, SYS_prlimit64,     { 0, RLIMIT_CORE },                      0 },
        { "own limits, high",       OWN_LIMITS, SYS_prlimit64,     { HIGH, RLIMIT_CORE },                   0 },
        { "limits of others",       OWN_LIMITS, SYS_prlimit64,     { 1, RLIMIT_CORE },                      EPERM },
        { "limits of others, high", OWN_LIMITS, SYS_prlimit64,     { HIGH | 1, RLIMIT_CORE },               EPERM },
        { "core limit",             INHERIT,    SYS_setrlimit,     { RLIMIT_CORE, 1 },                      0 },
        { "core limit, high",       INHERIT,    SYS_setrlimit,     { HIGH | RLIMIT_CORE, 1 },               0 },
        { "another limit",          INHERIT,    SYS_setrlimit,     { RLIMIT_STACK, 1 },                     EFAULT },
        { "core limit by prlimit",  INHERIT,    SYS_prlimit64,     { 0, RLIMIT_CORE, 1 },                   0 },
        { "other by prlimit",       INHERIT,    SYS_prlimit64,     { 0, RLIMIT_STACK, 1 },                  EFAULT },
        { "strict core limit",      STRICT,     SYS_setrlimit,     { RLIMIT_CORE, 1 },                      0 },
        { "set-user-id",            NO_SETUID,  SYS_fchmod,        { UINT32_MAX, 04755 },                   EPERM },
        { "set-user-id, at",        NO_SETUID,  SYS_fchmodat,      { UINT32_MAX, 0, 04755 },                EPERM },
        { "set-group-id",           NO_SETUID,  SYS_fchmod,        { UINT32_MAX, 02755 },                   EBADF },
        { "set-user-id, of users",  INHERIT,    SYS_fchmod,        { UINT32_MAX, 04755 },                   EBADF },
        { "shared memory",          NO_IPC,     SYS_shmget,        { 0, 4096, 0666 },                       EPERM },
        { "message queues",         NO_IPC,     SYS_mq_open,       { 0 },                                   EPERM },
        { "limits of none",         OWN_LIMITS, SYS_prlimit64,     { UINT32_MAX, RLIMIT_CORE },             EPERM },
        { "limits of none, open",   INHERIT, SYS_prlimit64,        { UINT32_MAX, RLIMIT_CORE },             ESRCH },
        { "strict getppid",         STRICT,  SYS_getppid,          { 0 },                                   0 },
        { "strict clone3",          STRICT,  SYS_clone3,           { 0 },                                   ENOSYS },
        { "strict io_uring_setup",  STRICT,  SYS_io_uring_setup,   { 1 },                                   ENOSYS },
        { "strict unshare",         STRICT,  SYS_unshare,          { CLONE_NEWUSER },                       EPERM },
        { "strict TIOCSTI",         STRICT,  SYS_ioctl,            { 0, HIGH | TIOCSTI_REQUEST },           EPERM },
        { "strict packets",         STRICT,  SYS_socket,           { AF_PACKET, SOCK_DGRAM },               EAFNOSUPPORT },
        { "strict mount",           STRICT,  SYS_mount,            { 0 },                                   -SIGSYS },
        { "strict ptrace",          STRICT,  SYS_ptrace,           { 0 },                                   -SIGSYS },
        { "strict new call",        STRICT,  480,                  { 0 },                                   -SIGSYS },
#ifdef __x86_64__
        { "x32",                    INHERIT, 0x40000000 | SYS_getppid, { 0 },                               -SIGSYS },
        { "strict x32",             STRICT,  0x40000000 | SYS_getppid, { 0 },                               -SIGSYS },
#endif
};
/* clang-format on */

static int attempt(const struct attempt *attempt) {
        const uint64_t *argument = attempt->argument;
        struct program program;
        pid_t pid;
        int result;

        compile(attempt->policy, attempt->flags, SECCOMP_ARCH_HERE, &program);
        pid = fork();
        if (pid == 0) {
                load(&program);
                _exit(syscall(attempt->number, argument[0], argument[1], argument[2], 0, 0, 0) == -1 ? errno : 0);
        }
        result = wait_for(pid);
        arena_free(&program.arena);
        return result;
}

static void test_attempts(void **state) {
        (void)state;
        if (SECCOMP_ARCH_HERE >= ARCHES)
                skip();
        for (size_t i = 0; i < COUNT(attempts); i++) {
                int result = attempt(&attempts[i]);

                if (result != attempts[i].result)
                        fail_msg("%s: %d, not %d", attempts[i].name, result, attempts[i].result);
        }
}

#ifdef __x86_64__
static int call_as_i386(const struct program *program) {
        pid_t pid = fork();

        if (pid == 0) {
                long result = 64; /* getppid */

                if (program)
                        load(program);
                __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
                _exit(0);
        }
        return wait_for(pid);
}

static void test_i386_entry(void **state) {
        (void)state;
        if (call_as_i386(NULL) != 0) /* then there is nothing to close */
                return;
        for (size_t p = 0; p < COUNT(policies); p++) {
                struct program program;

                compile(policies[p], 0, SECCOMP_X86_64, &program);
                assert_int_equal(call_as_i386(&program), -SIGSYS);
                arena_free(&program.arena);
        }
}
#endif

/* Everyday tools, those that are installed; a tool killed by the filter ends the script. $0 is the policy. A call that strace
 * skips has the number -1. */
static const char script[] =
        "set -e -o pipefail; dir=$(mktemp -d); trap 'rm -rf \"$dir\"' EXIT; cd \"$dir\"\n"
        "have() { command -v \"$1\" >/dev/null; }\n"
        "printf 'int main(void) { return 0; }\\n' >a.c; printf 'a: a.c\\n\\tgcc -pipe -o a a.c\\n' >Makefile\n"
        "ls -laR . | sort >list; cp -a list copy; mkfifo fifo; tar cf a.tar list; find . -type f | xargs wc >count\n"
        "sleep 0 & wait; (echo a | tee b; df .; stat b; id; date; timeout 60 true; nice true) >out\n"
        "if have gcc && have make; then make -s -j2; ./a; fi\n"
        "if have git; then git init -q .; git add a.c\n"
        "  git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm a; git status >out; git gc -q; fi\n"
        "if have python3; then python3 -c 'import subprocess, threading, socket, multiprocessing as m, asyncio\n"
        "t = threading.Thread(target=print); t.start(); t.join(); subprocess.run([\"true\"], check=True)\n"
        "s = socket.create_server((\"127.0.0.1\", 0)); q = m.Queue(); asyncio.run(asyncio.sleep(0))' >out; fi\n"
        "if have node; then node -e '\n"
        "  require(\"fs\").writeFileSync(\"n\", \"1\"); require(\"child_process\").execSync(\"true\");\n"
        "  fetch(\"http://127.0.0.1:1/\").catch(() => {})'; fi\n"
        "if [ $0 = inherit ] && have strace && strace -o out true; then strace -o out -e inject=sync:retval=0 sync; fi\n";

static void test_everyday_tools(void **state) {
        (void)state;
        if (SECCOMP_ARCH_HERE >= ARCHES)
                skip();
        for (size_t p = 0; p < COUNT(policies); p++) {
                struct program program;
                pid_t pid;

                compile(policies[p], 0, SECCOMP_ARCH_HERE, &program);
                pid = fork();
                if (pid == 0) {
                        load(&program);
                        execlp("bash", "bash", "-c", script, policies[p] == SYSCALLS_STRICT ? "strict" : "inherit", NULL);
                        _exit(NOT_LOADED);
                }
                assert_int_equal(wait_for(pid), 0);
                arena_free(&program.arena);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_attempts),
#ifdef __x86_64__
                cmocka_unit_test(test_i386_entry),
#endif
                cmocka_unit_test(test_everyday_tools),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
