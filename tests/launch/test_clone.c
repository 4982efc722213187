/*
 * Commands are started inside of somebody's program, with handlers, threads and children of its own: neither disturbs the
 * other.
 */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "launch/clone.h"
#include "launch/command.h"
#include "launch/start.h"

static const char *const envp[] = { "PATH=/usr/bin:/bin", NULL };

static int start_script(const char *script, int out, struct launched *ret, struct err *err) {
        const char *const argv[] = { "sh", "-c", script, NULL };
        struct launch launch = { .backend = "none", .program = "sh", .argv = argv, .envp = envp, .cwd = "/" };
        FD_AUTO null = open("/dev/null", O_RDWR | O_CLOEXEC);
        struct launch_files files = { null, out < 0 ? null : out, null };

        return launch_start(&launch, &files, ret, err);
}

static int end_of(const char *script) {
        struct launched launched;
        struct err err = {};
        int status = -1;

        if (start_script(script, -1, &launched, &err) < 0 || launch_end(&launched, &status, &err) < 0)
                fail_msg("%s", err.msg);
        return status;
}

/* Ends as `sh -c` does: its exit status. */
static int command_end_of(const char *script) {
        const char *const argv[] = { "/bin/sh", "-c", script, NULL };
        struct command command = { .argv = argv, .envp = envp, .timeout = 120 * TIME_SECOND, .in = -1, .out = -1, .err = -1 };
        struct command_end end = {};
        struct err err = {};

        buf_init(&end.out, 1024);
        if (command_run(&command, &end, &err) < 0)
                fail_msg("%s", err.msg);
        buf_free(&end.out);
        return end.status;
}

static void handle(int number, void (*handler)(int)) {
        struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

        sigemptyset(&action.sa_mask);
        assert_int_equal(sigaction(number, &action, NULL), 0);
}

static atomic_int children_ended, reaped;

static void count_child(int number) {
        (void)number;
        children_ended++;
}

static void reap_all(int number) {
        int saved = errno;

        (void)number;
        while (waitpid(-1, NULL, WNOHANG) > 0)
                reaped++;
        errno = saved;
}

/* Also those that a plain wait() does not see. */
static void reap_everything(int number) {
        int saved = errno;

        (void)number;
        while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
                reaped++;
        errno = saved;
}

static void the_host_sees_only_its_own_children(void **state) {
        int status = 0;
        pid_t own;

        (void)state;
        handle(SIGCHLD, count_child);
        children_ended = 0;
        assert_int_equal(end_of("exit 5"), 5 << 8);
        assert_int_equal(command_end_of("exit 6"), 6 << 8);
        assert_int_equal(children_ended, 0);
        assert_true(waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD);
        own = fork();
        if (own == 0)
                _exit(9);
        assert_int_equal(end_of("exit 7"), 7 << 8);
        assert_int_equal(waitpid(-1, &status, 0), own);
        assert_int_equal(WEXITSTATUS(status), 9);
        handle(SIGCHLD, SIG_DFL);
}

static void whoever_waits_for_children(void **state) {
        static void (*const handlers[])(int) = { reap_all, reap_everything, SIG_IGN };

        (void)state;
        for (size_t i = 0; i < sizeof(handlers) / sizeof(*handlers); i++) {
                handle(SIGCHLD, handlers[i]);
                for (int code = 0; code < 20; code++) {
                        char script[32];

                        snprintf(script, sizeof(script), "(exit 1); exit %d", code);
                        assert_int_equal(end_of(script), code << 8);
                        assert_int_equal(command_end_of(script), code << 8);
                }
                assert_int_equal(end_of("kill -9 $$"), SIGKILL);
                assert_int_equal(command_end_of("kill -9 $$"), SIGKILL);
        }
        handle(SIGCHLD, SIG_DFL);
}

static int *strangers; /* in memory that all processes share */

static void note_stranger(int number) {
        (void)number;
        if (getpid() != strangers[1])
                strangers[0]++;
}

/* A handler of the host never runs in the processes that are made on the way, though they get the signal. */
static void handlers_stay_at_home(void **state) {
        (void)state;
        strangers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_true(strangers != MAP_FAILED);
        strangers[1] = getpid();
        assert_int_equal(setpgid(0, 0), 0);
        handle(SIGUSR1, note_stranger);
        for (int i = 0; i < 50; i++) {
                struct launched launched;
                struct err err = {};
                int status;

                assert_int_equal(start_script("exit 0", -1, &launched, &err), 0);
                kill(0, SIGUSR1); /* all of the group, and the new one is still in it */
                assert_int_equal(launch_end(&launched, &status, &err), 0);
                assert_int_equal(status, 0);
        }
        handle(SIGUSR1, SIG_DFL);
        assert_int_equal(strangers[0], 0);
        munmap(strangers, 4096);
}

static void signals_of_a_command_are_as_by_default(void **state) {
        struct launched launched;
        char text[128] = "";
        struct err err = {};
        int ends[2], status;
        sigset_t set, before;

        (void)state;
        handle(SIGUSR2, SIG_IGN);
        handle(SIGRTMIN + 3, SIG_IGN);
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGRTMIN + 4);
        pthread_sigmask(SIG_BLOCK, &set, &before);
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_int_equal(start_script("exec grep -E 'SigBlk|SigIgn' /proc/self/status", ends[1], &launched, &err), 0);
        close(ends[1]);
        assert_int_equal(launch_end(&launched, &status, &err), 0);
        assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
        close(ends[0]);
        assert_string_equal(text, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
        pthread_sigmask(SIG_SETMASK, NULL, &set);
        assert_true(sigismember(&set, SIGTERM) && !sigismember(&set, SIGINT));
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        handle(SIGUSR2, SIG_DFL);
        handle(SIGRTMIN + 3, SIG_DFL);
}

static void *start_and_go(void *launched) {
        struct err err = {};

        return start_script("sleep 0.3; exit 4", -1, launched, &err) < 0 ? launched : NULL;
}

static void the_thread_that_started_it_may_end(void **state) {
        struct launched launched;
        struct err err = {};
        pthread_t thread;
        void *failed;
        int status;

        (void)state;
        assert_int_equal(pthread_create(&thread, NULL, start_and_go, &launched), 0);
        assert_int_equal(pthread_join(thread, &failed), 0);
        assert_null(failed);
        assert_int_equal(launch_end(&launched, &status, &err), 0);
        assert_int_equal(status, 4 << 8);
}

static bool is_gone(pid_t pid) {
        for (int i = 0; i < 6000; i++) {
                if (kill(pid, 0) < 0 && errno == ESRCH)
                        return true;
                poll(NULL, 0, 10);
        }
        return false;
}

/* Starts a command, forks, and is killed: the other one has copies of all its files. */
static _Noreturn void host_that_forks(int out) {
        struct launched launched;
        struct err err = {};
        pid_t other;

        if (start_script("echo command $$; exec sleep 300", out, &launched, &err) < 0)
                _exit(1);
        other = fork();
        if (other == 0) {
                close(out);
                poll(NULL, 0, 600000);
                _exit(0);
        }
        if (dprintf(out, "fork %d\n", (int)other) > 0)
                poll(NULL, 0, 600000);
        _exit(1);
}

static pid_t number_behind(const char *text, const char *word) {
        const char *at = strstr(text, word), *end = at ? strchr(at, '\n') : NULL;

        return end ? (pid_t)strtol(at + strlen(word), NULL, 10) : 0;
}

static void it_ends_with_the_process_whoever_has_its_files(void **state) {
        pid_t host, command = 0, other = 0;
        char text[64] = "";
        size_t used = 0;
        int ends[2];

        (void)state;
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        host = fork();
        if (host == 0)
                host_that_forks(ends[1]);
        close(ends[1]);
        while (!command || !other) {
                ssize_t got = read(ends[0], text + used, sizeof(text) - 1 - used);

                assert_true(got > 0);
                used += (size_t)got;
                command = number_behind(text, "command ");
                other = number_behind(text, "fork ");
        }
        close(ends[0]);
        kill(host, SIGKILL);
        assert_int_equal(waitpid(host, NULL, 0), host);
        assert_true(is_gone(command));
        assert_int_equal(kill(other, 0), 0);
        kill(other, SIGKILL);
}

/* The kernel chooses the number before the last checks, as that of the cgroup; whoever closes it then closes another file. */
static void what_is_not_made_has_no_pidfd(void **state) {
        FD_AUTO no_cgroup = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        int pidfd = -1;

        (void)state;
        assert_true(no_cgroup >= 0);
        assert_int_equal(clone_process(0, no_cgroup, &pidfd), -1);
        assert_int_equal(pidfd, -1);
}

static void asking_the_dead_raises_nothing(void **state) {
        struct launched launched;
        struct err err = {};
        struct pollfd end;
        int status;

        (void)state;
        handle(SIGPIPE, SIG_DFL);
        assert_int_equal(start_script("exec sleep 300", -1, &launched, &err), 0);
        kill(launched.pid, SIGKILL);
        end = (struct pollfd){ .fd = launched.pidfd, .events = POLLIN };
        assert_int_equal(poll(&end, 1, 60000), 1);
        launch_signal(&launched, SIGTERM);
        assert_int_equal(launch_end(&launched, &status, &err), 0);
        assert_int_equal(status, SIGKILL);
}

static void a_helper_that_is_missing_says_so(void **state) {
        const char *const argv[] = { "/no/such/helper", NULL };
        struct command command = { .argv = argv, .envp = envp, .timeout = 120 * TIME_SECOND, .in = -1, .out = -1, .err = -1 };
        struct command_end end = {};
        struct err err = {};

        (void)state;
        buf_init(&end.out, 1024);
        assert_int_equal(command_run(&command, &end, &err), -1);
        assert_int_equal(err.sys, ENOENT);
        assert_string_equal(err.msg, "/no/such/helper: No such file or directory");
        buf_free(&end.out);
}

static void a_helper_that_hangs_is_killed(void **state) {
        const char *const argv[] = { "/bin/sh", "-c", "echo before; sleep 300; echo after", NULL };
        struct command command = { .argv = argv, .envp = envp, .timeout = 15 * TIME_SECOND, .in = -1, .out = -1, .err = -1 };
        struct command_end end = {};
        struct err err = {};

        (void)state;
        buf_init(&end.out, 1024);
        assert_int_equal(command_run(&command, &end, &err), 0);
        assert_true(end.timed_out);
        assert_int_equal(end.status, SIGKILL);
        assert_true(str_is(buf_str(&end.out), "before\n"));
        assert_int_equal(command_check(&command, &end, &err), -1);
        buf_free(&end.out);
}

/* That the last process that has the other end is gone is seen at this one. */
static void a_helper_ends_with_the_process(void **state) {
        const char *const argv[] = { "/bin/sh", "-c", "echo up; sleep 1000 & sleep 1000", NULL };
        struct command command = { .argv = argv, .envp = envp, .timeout = 600 * TIME_SECOND, .in = -1, .err = -1 };
        struct command_end end = {};
        int ends[2], status;
        struct pollfd fd;
        char text[16];
        pid_t pid;

        (void)state;
        assert_int_equal(fd_pipe(ends, NULL), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                close(ends[0]);
                command.out = ends[1];
                buf_init(&end.out, 1024);
                command_run(&command, &end, NULL);
                _exit(0);
        }
        close(ends[1]);
        assert_int_equal(read(ends[0], text, sizeof(text)), 3);
        kill(pid, SIGINT);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        fd = (struct pollfd){ .fd = ends[0], .events = POLLIN };
        assert_int_equal(poll(&fd, 1, 60000), 1);
        assert_int_equal(read(ends[0], text, sizeof(text)), 0);
        close(ends[0]);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_host_sees_only_its_own_children),
                cmocka_unit_test(whoever_waits_for_children),
                cmocka_unit_test(handlers_stay_at_home),
                cmocka_unit_test(signals_of_a_command_are_as_by_default),
                cmocka_unit_test(the_thread_that_started_it_may_end),
                cmocka_unit_test(it_ends_with_the_process_whoever_has_its_files),
                cmocka_unit_test(what_is_not_made_has_no_pidfd),
                cmocka_unit_test(asking_the_dead_raises_nothing),
                cmocka_unit_test(a_helper_that_is_missing_says_so),
                cmocka_unit_test(a_helper_that_hangs_is_killed),
                cmocka_unit_test(a_helper_ends_with_the_process),
        };

        return cmocka_run_group_tests_name("clone", tests, NULL, NULL);
}
