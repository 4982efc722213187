/*
 * What the process outside can do to a command under way: send it signals, kill it, and die. Each case where one pid namespace
 * holds all of them, and where there is none.
 */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "launch/control.h"
#include "launch/start.h"

static bool own_pids; /* each case in both ways */

enum { PATIENCE_MS = 60000 };

static int try_start(const char *script, int out, struct launched *ret, struct err *err) {
        static const char *const envp[] = { "PATH=/usr/bin:/bin", NULL };
        const char *const argv[] = { "bash", "-c", script, NULL };
        struct launch launch = {
                .backend = "none",
                .namespaces = own_pids ? LAUNCH_NAMESPACES : LAUNCH_NO_NAMESPACES,
                .own_pids = own_pids,
                .program = argv[0],
                .argv = argv,
                .envp = envp,
                .cwd = "/",
        };
        FD_AUTO null = open("/dev/null", O_RDWR | O_CLOEXEC);
        struct launch_files files = { null, out < 0 ? null : out, null };

        return launch_start(&launch, &files, ret, err);
}

/* A command, and what it says. */
struct scene {
        struct launched launched;
        int said;
};

static struct scene begin(const char *script) {
        struct scene scene = {};
        struct err err = {};
        int ends[2];

        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        if (try_start(script, ends[1], &scene.launched, &err) < 0)
                fail_msg("%s", err.msg);
        close(ends[1]);
        scene.said = ends[0];
        return scene;
}

static void expect(const struct scene *scene, const char *text) {
        char got[64] = "";

        for (size_t at = 0; at < strlen(text);) {
                struct pollfd fd = { .fd = scene->said, .events = POLLIN };
                ssize_t len = poll(&fd, 1, PATIENCE_MS) == 1 ? read(scene->said, got + at, strlen(text) - at) : -1;

                assert_true(len > 0);
                at += (size_t)len;
        }
        assert_string_equal(got, text);
}

static int end(struct scene *scene) {
        struct err err = {};
        int status = -1;

        if (launch_end(&scene->launched, &status, &err) < 0)
                fail_msg("%s", err.msg);
        close(scene->said);
        return status;
}

static void wait_for_end(const struct scene *scene) {
        struct pollfd fd = { .fd = scene->launched.pidfd, .events = POLLIN };

        assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
}

/* ---- signals ---- */

static void a_signal_ends_it(void **state) {
        static const int numbers[] = { SIGTERM, SIGHUP, SIGINT, SIGUSR1 };

        (void)state;
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
                struct scene scene = begin("echo ready; exec sleep 300");
                int status;

                expect(&scene, "ready\n");
                launch_signal(&scene.launched, numbers[i]);
                wait_for_end(&scene);
                status = end(&scene);
                assert_true(WIFSIGNALED(status));
                assert_int_equal(WTERMSIG(status), numbers[i]);
        }
}

static void a_command_may_take_it(void **state) {
        struct scene scene = begin("trap 'echo term' TERM; trap 'echo int; exit 7' INT; echo ready; "
                                   "while :; do sleep 300 & wait; done");

        (void)state;
        expect(&scene, "ready\n");
        launch_signal(&scene.launched, SIGTERM);
        expect(&scene, "term\n");
        launch_signal(&scene.launched, SIGTERM);
        expect(&scene, "term\n");
        launch_signal(&scene.launched, SIGINT);
        expect(&scene, "int\n");
        wait_for_end(&scene);
        assert_int_equal(WEXITSTATUS(end(&scene)), 7);
}

/* A background process of a script ignores SIGINT, as POSIX has it; but not the others. The trap comes first: the child may be
 * ready before its parent goes on. */
static void all_inside_get_it(void **state) {
        struct scene scene = begin("trap 'wait; echo parent; exit' TERM; "
                                   "bash -c 'trap \"echo child; exit\" TERM; echo ready; sleep 300 & wait' & wait");

        (void)state;
        expect(&scene, "ready\n");
        launch_signal(&scene.launched, SIGTERM);
        expect(&scene, "child\nparent\n");
        wait_for_end(&scene);
        assert_int_equal(end(&scene), 0);
}

/* One that is sent before the command has started is not lost. */
static void a_signal_comes_early(void **state) {
        (void)state;
        for (int i = 0; i < 20; i++) {
                struct scene scene = begin("sleep 300");

                launch_signal(&scene.launched, SIGTERM);
                wait_for_end(&scene);
                assert_int_equal(WTERMSIG(end(&scene)), SIGTERM);
        }
}

/* The kernel would send SIGPIPE to whoever writes to a pipe that nobody reads; it is not ignored here. */
static void a_signal_comes_late(void **state) {
        struct scene scene = begin("exit 3");

        (void)state;
        assert_true(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
        wait_for_end(&scene);
        launch_signal(&scene.launched, SIGTERM);
        launch_kill(&scene.launched);
        launch_signal(&scene.launched, SIGTERM);
        assert_int_equal(WEXITSTATUS(end(&scene)), 3);
}

/* Nobody takes them in: whoever sends them does not wait. */
static void signals_without_end(void **state) {
        struct scene scene = begin("trap '' TERM; echo ready; sleep 300");
        int64_t begun = time_monotonic();

        (void)state;
        expect(&scene, "ready\n");
        assert_int_equal(kill(scene.launched.pid, SIGSTOP), 0);
        for (int i = 0; i < 200000; i++)
                launch_signal(&scene.launched, SIGTERM);
        assert_true(time_monotonic() - begun < 120 * TIME_SECOND);
        launch_kill(&scene.launched);
        assert_int_equal(kill(scene.launched.pid, SIGCONT), 0);
        wait_for_end(&scene);
        assert_int_equal(end(&scene), SIGKILL);
}

/* ---- whoever started it ---- */

/* A program that ignores SIGCHLD is never told how its children ended, and they inherit that. */
static void the_program_ignores_its_children(void **state) {
        struct scene scene;

        (void)state;
        assert_true(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
        scene = begin("true; (exit 4); echo $?; exit 5");
        expect(&scene, "4\n");
        wait_for_end(&scene);
        assert_int_equal(WEXITSTATUS(end(&scene)), 5);
        scene = begin("echo ready; exec sleep 300");
        expect(&scene, "ready\n");
        launch_kill(&scene.launched);
        assert_int_equal(end(&scene), SIGKILL);
        assert_true(signal(SIGCHLD, SIG_DFL) != SIG_ERR);
}

/* It holds the end of a pipe as long as anything of the command lives. */
static bool all_gone(int fd) {
        struct pollfd waits = { .fd = fd, .events = POLLIN };
        char rest[64];

        while (poll(&waits, 1, PATIENCE_MS) == 1)
                if (read(fd, rest, sizeof(rest)) <= 0)
                        return true;
        return false;
}

static void the_program_dies(void **state) {
        static const char *const scripts[] = { "echo ready; sleep 300",
                                               "trap '' TERM HUP INT; setsid sleep 300 & echo ready; sleep 300" };

        (void)state;
        for (size_t i = 0; i < 2; i++) {
                struct scene scene;
                int ends[2];
                pid_t program;

                assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
                program = fork();
                if (program == 0) {
                        struct launched launched;
                        struct err err;

                        if (try_start(scripts[i], ends[1], &launched, &err) == 0)
                                pause();
                        _exit(1);
                }
                assert_true(program > 0);
                close(ends[1]);
                scene.said = ends[0];
                expect(&scene, "ready\n");
                assert_int_equal(kill(program, SIGKILL), 0);
                assert_int_equal(waitpid(program, NULL, 0), program);
                assert_true(all_gone(ends[0]));
                close(ends[0]);
        }
}

/* ---- the other end ---- */

static void the_end_is_seen_at_once(void **state) {
        struct control control = { .outside = -1 };
        int ends[2];

        (void)state;
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
        control.asked = ends[0];
        assert_false(control_alone(&control));
        assert_int_equal(write(ends[1], "\x0f", 1), 1);
        assert_false(control_alone(&control)); /* a signal is for a command that runs */
        close(ends[1]);
        assert_true(control_alone(&control));
        close(ends[0]);
}

static void what_is_asked_for(void **state) {
        struct control control;
        struct err err = {};
        int ends[2], status;
        pid_t child;

        (void)state;
        assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
        assert_int_equal(control_open(ends[0], -1, &control, &err), 0);
        assert_int_equal(write(ends[1], "\x0f", 1), 1);
        assert_int_equal(write(ends[1], "\x02", 1), 1);
        assert_int_equal(control_wait(&control), SIGTERM);
        assert_int_equal(control_wait(&control), SIGINT);
        child = fork();
        if (child == 0)
                _exit(3);
        assert_int_equal(control_wait(&control), CONTROL_CHILD);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(WEXITSTATUS(status), 3);
        close(ends[1]);
        assert_int_equal(control_wait(&control), CONTROL_GONE);
        close(ends[0]);
        close(control.signals);
}

static int try_namespaces(void **state) {
        (void)state;
        own_pids = true;
        return 0;
}

static bool has_namespaces(void) {
        struct launched launched;
        struct err err = {};
        int status;

        own_pids = true;
        status = try_start("true", -1, &launched, &err) < 0 || launch_end(&launched, &status, &err) < 0;
        own_pids = false;
        if (status)
                print_message("# no namespaces here: %s\n", err.msg);
        return status == 0;
}

static void no_namespaces(void **state) {
        (void)state;
        skip();
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_signal_ends_it),    cmocka_unit_test(a_command_may_take_it),
                cmocka_unit_test(all_inside_get_it),   cmocka_unit_test(a_signal_comes_early),
                cmocka_unit_test(a_signal_comes_late), cmocka_unit_test(signals_without_end),
                cmocka_unit_test(the_program_dies),    cmocka_unit_test(the_program_ignores_its_children),
                cmocka_unit_test(what_is_asked_for),   cmocka_unit_test(the_end_is_seen_at_once),
        };
        const struct CMUnitTest none[] = { cmocka_unit_test(no_namespaces) };
        int failed = cmocka_run_group_tests_name("signals", tests, NULL, NULL);

        if (!has_namespaces())
                return failed + cmocka_run_group_tests_name("signals, in namespaces", none, NULL, NULL);
        return failed + cmocka_run_group_tests_name("signals, in namespaces", tests, try_namespaces, NULL);
}
