/*
 * What the gateway process cannot do any more, each tried in a process of its own.
 */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gateway/loop.h"

/* How a confined process ended that did this: its exit status, or minus the signal. Without memory of the sanitizer's kind. */
static int confined(int (*action)(void)) {
        pid_t pid = fork();
        int status;

        assert_true(pid >= 0);
        if (pid == 0) {
                struct err err;

                _exit(confine("/etc/resolv.conf", &err) < 0 ? 200 : action());
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int open_etc(void) {
        return open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 ? errno : 0;
}
static int open_random(void) {
        return open("/dev/urandom", O_RDONLY | O_CLOEXEC) < 0 ? errno : 0;
}
static int open_other(void) {
        return open("/proc/self/status", O_RDONLY | O_CLOEXEC) < 0 ? errno : 0;
}
static int open_root(void) {
        return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0 ? errno : 0;
}
static int write_etc(void) {
        return open("/etc/bailey-test", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0 ? errno : 0;
}
static int inet_socket(void) {
        return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) < 0 || socket(AF_INET6, SOCK_DGRAM, 0) < 0 ? errno
                                                                                                                         : 0;
}
static int unix_socket(void) {
        return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}
static int netlink_socket(void) {
        return socket(AF_NETLINK, SOCK_RAW, 0) < 0 ? errno : 0;
}
static int raw_socket(void) {
        return socket(AF_INET, SOCK_RAW, 1) < 0 ? errno : 0;
}
static int make_process(void) {
        return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) < 0 ? errno : 0;
}
static int execute(void) {
        char *const none[] = { NULL };

        return execve("/bin/true", none, none) < 0 ? errno : 0;
}
static int code(void) {
        return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
}
static int data(void) {
        return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
}
static int signal_parent(void) {
        return syscall(SYS_kill, getppid(), 0) < 0 ? errno : 0;
}
static int signal_thread(void) {
        return syscall(SYS_tgkill, 1, 1, 0) < 0 ? errno : 0;
}
static int signal_itself(void) {
        return syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0) < 0 ? errno : 0;
}
static int open_secret(void) { /* of root, which may not be there */
        int fd = open("/etc/shadow", O_RDONLY | O_CLOEXEC);

        return fd < 0 && errno != ENOENT ? errno : fd < 0 ? EACCES : 0;
}
static int trace(void) {
        return syscall(SYS_ptrace, 0, 0, 0, 0) < 0 ? errno : 0;
}
static int memory(void) {
        return syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0) < 0 ? errno : 0;
}

static void what_it_can_do(void **state) {
        static const struct {
                const char *name;
                int (*action)(void);
                int result;
        } cases[] = {
                { "read /etc", open_etc, 0 },
                { "random numbers", open_random, 0 },
                { "sockets", inet_socket, 0 },
                { "memory", data, 0 },
                { "read /proc", open_other, EACCES },
                { "read /", open_root, EACCES },
                { "write", write_etc, EACCES },
                { "a Unix socket", unix_socket, EAFNOSUPPORT },
                { "a netlink socket", netlink_socket, EAFNOSUPPORT },
                { "a raw socket", raw_socket, EAFNOSUPPORT },
                { "a process", make_process, ENOSYS },
                { "a program", execute, -SIGSYS },
                { "code", code, ENOSYS },
                { "a signal", signal_parent, ENOSYS },
                { "a signal to a thread", signal_thread, ENOSYS },
                { "a signal to itself", signal_itself, 0 },
                { "read /etc/shadow", open_secret, EACCES },
                { "tracing", trace, ENOSYS },
                { "another's memory", memory, ENOSYS },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                int result = confined(cases[i].action);

                if (result != cases[i].result)
                        fail_msg("%s: %d", cases[i].name, result);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(what_it_can_do) };

        if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 1) {
                printf("1..0 # SKIP no Landlock here\n");
                return 0;
        }
        return cmocka_run_group_tests(tests, NULL, NULL);
}
