/*
 * The wait for processes that are being killed: one that has its signal, but cannot end yet, is waited for.
 */
#include "protect/killed.h"

#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "tests/test.h"

/* A child that stops on its way out until it is detached: its tracer holds it there. */
static pid_t held_child(void) {
        pid_t pid = fork();
        int status;

        assert_true(pid >= 0);
        if (pid == 0) {
                ptrace(PTRACE_TRACEME, 0, NULL, NULL);
                raise(SIGSTOP);
                for (;;)
                        pause();
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSTOPPED(status));
        /* NOLINTNEXTLINE(performance-no-int-to-ptr): so ptrace(2) takes options */
        assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(long)(PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL)), 0);
        assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
        return pid;
}

/* Another process waits; it writes a byte when that is over. */
static pid_t start_waiting(int *ret_fd) {
        struct err err = { 0 };
        int fds[2];
        pid_t pid;

        assert_int_equal(fd_pipe(fds, &err), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
                char said = killed_wait(&err) == 0 ? 'y' : 'n';

                _exit(write(fds[1], &said, 1) != 1);
        }
        fd_close(fds[1]);
        *ret_fd = fds[0];
        return pid;
}

static void the_dying_are_waited_for(void **state) {
        pid_t child = held_child(), waiting;
        int fd, status;
        struct pollfd over;
        char said = 0;

        (void)state;
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8)); /* or this test is wrong */
        waiting = start_waiting(&fd);
        over = (struct pollfd){ .fd = fd, .events = POLLIN };
        assert_int_equal(poll(&over, 1, 300), 0); /* it waits */
        assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
        assert_int_equal(poll(&over, 1, 60000), 1);
        assert_int_equal(read(fd, &said, 1), 1);
        assert_int_equal(said, 'y');
        fd_close(fd);
        assert_int_equal(waitpid(waiting, &status, 0), waiting);
        assert_int_equal(waitpid(child, &status, 0), child); /* a zombie until now, and that was not waited for */
        assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void those_who_live_are_not(void **state) {
        pid_t child = held_child();
        struct err err = { 0 };
        int status;

        (void)state;
        assert_int_equal(killed_wait(&err), 0);
        assert_int_equal(kill(child, SIGKILL), 0);
        while (waitpid(child, &status, 0) == child && WIFSTOPPED(status))
                ptrace(PTRACE_CONT, child, NULL, NULL);
        assert_int_equal(WTERMSIG(status), SIGKILL);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_dying_are_waited_for),
                cmocka_unit_test(those_who_live_are_not),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
