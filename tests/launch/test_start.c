/*
 * One spawn path: what starts, what does not, how the end is told, and that nothing is left. Without namespaces, so that it
 * runs anywhere; what namespaces add is tried by the suites of tests/escape and tests/work.
 */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/start.h"

static bool announce; /* each case in both ways */
static volatile sig_atomic_t children_told;

static const char *const envp[] = { "PATH=/usr/bin:/bin", "ONLY=this", NULL };

static int start(const char *const *argv, int out, struct launched *ret, struct err *err) {
        struct launch launch = {
                .backend = "none", .announce = announce, .program = argv[0], .argv = argv, .envp = envp, .cwd = "/"
        };
        FD_AUTO null = open("/dev/null", O_RDWR | O_CLOEXEC);
        struct launch_files files = { null, out < 0 ? null : out, null };

        return launch_start(&launch, &files, ret, err);
}

static int end_of(const char *script) {
        const char *const argv[] = { "sh", "-c", script, NULL };
        struct launched launched;
        struct err err = {};
        int status = -1;

        if (start(argv, -1, &launched, &err) < 0 || launch_end(&launched, &status, &err) < 0)
                fail_msg("%s", err.msg);
        return status;
}

static void the_end_is_told(void **state) {
        (void)state;
        assert_int_equal(WEXITSTATUS(end_of("exit 0")), 0);
        assert_int_equal(WEXITSTATUS(end_of("exit 7")), 7);
        assert_int_equal(WTERMSIG(end_of("kill -9 $$")), SIGKILL);
        assert_int_equal(WTERMSIG(end_of("kill -SEGV $$")), SIGSEGV);
}

/* One that does not start is told of by the first, or by the second. */
static int start_and_end(const char *const *argv, struct err *err) {
        struct launched launched;
        int status;

        return start(argv, -1, &launched, err) < 0 ? -1 : launch_end(&launched, &status, err);
}

static void what_does_not_start_says_why(void **state) {
        const char *const missing[] = { "no-such-program-anywhere", NULL }, *const directory[] = { "/tmp", NULL };
        struct err err = {};

        (void)state;
        assert_int_equal(start_and_end(missing, &err), -1);
        assert_int_equal(err.code, ERR_NOT_FOUND);
        assert_non_null(strstr(err.msg, "no-such-program-anywhere"));
        assert_int_equal(start_and_end(directory, &err), -1);
        assert_int_equal(err.sys, EACCES);
        assert_int_equal(err.code, ERR_INVALID);
}

/* Only what it was given: files, variables, a session of its own. */
static void nothing_is_inherited(void **state) {
        const char *const argv[] = { "sh", "-c",
                                     "ls /proc/self/fd | tr '\\n' ' '; env | grep -c .; echo $ONLY; pwd; "
                                     "[ $(cut -d' ' -f6 /proc/$$/stat) = $$ ] && echo session; [ -t 0 ] || echo no terminal",
                                     NULL };
        FD_AUTO secret = open("/etc/passwd", O_RDONLY); /* not closed on exec */
        struct launched launched;
        struct err err = {};
        char text[256];
        ssize_t len;
        int ends[2], status;

        (void)state;
        assert_true(secret >= 0);
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_int_equal(start(argv, ends[1], &launched, &err), 0);
        close(ends[1]);
        assert_int_equal(launch_end(&launched, &status, &err), 0);
        assert_int_equal(status, 0);
        len = read(ends[0], text, sizeof(text) - 1);
        close(ends[0]);
        assert_true(len > 0);
        text[len] = 0;
        /* ls has 0 to 2 and the directory it reads; sh adds PWD and perhaps _ and SHLVL to the two variables */
        assert_non_null(strstr(text, "0 1 2 3 "));
        assert_null(strstr(text, "4 "));
        assert_non_null(strstr(text, "\nthis\n/\nsession\nno terminal\n"));
}

/* Who reads what a command writes need not wait for its end, nor for that of its walls. */
static void output_ends_when_the_command_closes_it(void **state) {
        const char *const argv[] = { "sh", "-c", "echo said; exec >&- 2>&-; read line", NULL };
        struct launch launch = {
                .backend = "none", .announce = announce, .program = argv[0], .argv = argv, .envp = envp, .cwd = "/"
        };
        struct launched launched;
        struct err err = {};
        char text[16];
        int in[2], out[2], status;

        (void)state;
        assert_int_equal(pipe2(in, O_CLOEXEC), 0);
        assert_int_equal(pipe2(out, O_CLOEXEC), 0);
        assert_int_equal(launch_start(&launch, &(struct launch_files){ in[0], out[1], out[1] }, &launched, &err), 0);
        close(in[0]);
        close(out[1]);
        assert_int_equal(read(out[0], text, sizeof(text)), 5);
        assert_int_equal(poll(&(struct pollfd){ .fd = out[0], .events = POLLIN }, 1, 60000), 1);
        assert_int_equal(read(out[0], text, sizeof(text)), 0);
        assert_int_equal(write(in[1], "go\n", 3), 3); /* it is still there */
        assert_int_equal(launch_end(&launched, &status, &err), 0);
        assert_int_equal(status, 0);
        close(in[1]);
        close(out[0]);
}

static bool is_gone(pid_t pid) {
        for (int i = 0; i < 6000; i++) {
                if (kill(pid, 0) < 0 && errno == ESRCH)
                        return true;
                poll(NULL, 0, 10);
        }
        return false;
}

/* A daemon that left everything behind ends with the command, also when that is killed. */
static void nothing_is_left(void **state) {
        static const char *const scripts[] = { "setsid sleep 300 & echo $!", "setsid sleep 300 & echo $!; sleep 300" };

        (void)state;
        for (int killed = 0; killed < 2; killed++) {
                const char *const argv[] = { "sh", "-c", scripts[killed], NULL };
                struct launched launched;
                struct err err = {};
                char text[32] = "";
                int ends[2], status;

                assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
                assert_int_equal(start(argv, ends[1], &launched, &err), 0);
                close(ends[1]);
                assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
                if (killed)
                        launch_kill(&launched);
                assert_int_equal(launch_end(&launched, &status, &err), 0);
                assert_int_equal(status, killed ? SIGKILL : 0);
                assert_true(strtol(text, NULL, 10) > 1 && is_gone((pid_t)strtol(text, NULL, 10)));
                close(ends[0]);
        }
}

/* Says which process it has left behind, and ends, or is killed. */
static void leave_wrapper(const char *script, bool killed) {
        const char *const wrapper[] = { "/bin/sh", "-c", script, NULL };
        const char *const argv[] = { "true", NULL };
        struct launch launch = { .backend = "none",
                                 .own_pids = true,
                                 .wrapper = wrapper,
                                 .program = "true",
                                 .argv = argv,
                                 .envp = envp,
                                 .cwd = "/" };
        FD_AUTO null = open("/dev/null", O_RDWR | O_CLOEXEC);
        struct launched launched;
        struct err err = {};
        char text[32] = "";
        int ends[2], status;

        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_int_equal(launch_start(&launch, &(struct launch_files){ null, ends[1], null }, &launched, &err), 0);
        close(ends[1]);
        assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
        if (killed)
                launch_kill(&launched);
        assert_int_equal(launch_end(&launched, &status, &err), killed ? 0 : -1); /* a command has not been started */
        assert_int_equal(status, SIGKILL);
        assert_true(strtol(text, NULL, 10) > 1 && is_gone((pid_t)strtol(text, NULL, 10)));
        close(ends[0]);
}

/* A wrapper may be killed before it has made the walls that hold its own children; and by others. */
static void nothing_of_a_wrapper_is_left(void **state) {
        (void)state;
        leave_wrapper("sleep 300 & echo $!; wait", true);
        leave_wrapper("sleep 300 & echo $!; kill -9 $$", false);
        leave_wrapper("sleep 300 & echo $!", false);
}

static void count_children(int number) {
        (void)number;
        children_told++;
}

/* It is none of the program's children, as far as the program can see. */
static void nobody_hears_of_a_wrapper(void **state) {
        struct sigaction action = { .sa_handler = count_children }, before;

        (void)state;
        children_told = 0;
        assert_int_equal(sigaction(SIGCHLD, &action, &before), 0);
        leave_wrapper("sleep 300 & echo $!", false);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
        assert_int_equal(sigaction(SIGCHLD, &before, NULL), 0);
        assert_int_equal(children_told, 0);
}

static int announced(void **state) {
        (void)state;
        announce = true;
        return 0;
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_end_is_told),           cmocka_unit_test(what_does_not_start_says_why),
                cmocka_unit_test(nothing_is_inherited),      cmocka_unit_test(output_ends_when_the_command_closes_it),
                cmocka_unit_test(nothing_is_left),           cmocka_unit_test(nothing_of_a_wrapper_is_left),
                cmocka_unit_test(nobody_hears_of_a_wrapper),
        };

        return cmocka_run_group_tests_name("start", tests, NULL, NULL) +
               cmocka_run_group_tests_name("start, announced", tests, announced, NULL);
}
