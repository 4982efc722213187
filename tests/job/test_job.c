/*
 * A launch under way: what it takes in, how it is ended, and that nothing is left of it, however it went. Without namespaces,
 * so that it runs anywhere.
 */
#include "tests/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "run/job.h"

enum { OUTPUT = 64 << 10 };

static const char *const envp[] = { "PATH=/usr/bin:/bin", NULL };

struct scene {
        const char *argv[4];
        struct launch launch;
        struct stream out, err;
        struct job_setup setup;
        struct job job;
};

static void prepare(struct scene *s, const char *script) {
        *s = (struct scene){ .argv = { "bash", "-c", script } };
        s->launch = (struct launch){ .backend = "none", .program = "bash", .argv = s->argv, .envp = envp, .cwd = "/" };
        assert_int_equal(stream_init(&s->out, OUTPUT, TERMINAL_TEXT, NULL, NULL), 0);
        assert_int_equal(stream_init(&s->err, OUTPUT, TERMINAL_TEXT, NULL, NULL), 0);
        s->setup = (struct job_setup){
                .launch = &s->launch, .out = &s->out, .out_fd = -1, .err_fd = -1, .cancel_fd = -1, .epoll_fd = -1
        };
}

static void clean(struct scene *s) {
        stream_free(&s->out);
        stream_free(&s->err);
}

static void start(struct scene *s) {
        struct err err = {};

        if (job_start(&s->job, &s->setup, &err) < 0)
                fail_msg("%s", err.msg);
}

static void finish(struct scene *s) {
        struct err err = {};
        enum job_state state = JOB_RUNS;

        while (state == JOB_RUNS)
                state = job_turn(&s->job, true, &err);
        if (state == JOB_FAILED)
                fail_msg("%s", err.msg);
}

static void assert_said(const struct stream *stream, const char *text) {
        struct captured captured;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        assert_int_equal(stream_finish(stream, &arena, &captured, NULL), 0);
        assert_str_equal(captured.text, str_z(text));
}

/* Until it has said something. */
static void wait_for_word(struct scene *s) {
        struct err err;

        while (s->out.came == 0)
                assert_int_equal(job_turn(&s->job, true, &err), JOB_RUNS);
}

static int count_files(void) {
        DIR *directory = opendir("/proc/self/fd");
        int count = 0;

        assert_non_null(directory);
        while (readdir(directory))
                count++;
        closedir(directory);
        return count;
}

/* ---- output ---- */

static void output_in_order(void **state) {
        struct scene s;

        (void)state;
        prepare(&s, "for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 3");
        start(&s);
        finish(&s);
        assert_int_equal(WEXITSTATUS(s.job.outcome.status), 3);
        assert_said(&s.out, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
        clean(&s);
}

static void output_apart(void **state) {
        struct scene s;

        (void)state;
        prepare(&s, "echo out; echo err >&2; echo out; printf err >&2");
        s.setup.err = &s.err;
        start(&s);
        finish(&s);
        assert_said(&s.out, "out\nout\n");
        assert_said(&s.err, "err\nerr");
        assert_false(s.job.outcome.timed_out || s.job.outcome.cancelled || s.job.outcome.memory_killed);
        clean(&s);
}

/* More than a pipe holds is in it when the command is gone, and all of it is taken in. */
static void the_rest_of_the_output(void **state) {
        struct scene s;

        (void)state;
        prepare(&s, "head -c 250000 /dev/zero | tr '\\0' x");
        start(&s);
        finish(&s);
        assert_int_equal(s.out.came, 250000);
        assert_int_equal(s.out.capture.total, 250000);
        clean(&s);
}

/* Somebody who is none of the command's has hold of its output and goes on writing. */
static void somebody_else_goes_on(void **state) {
        int64_t begun = time_monotonic();
        struct scene s;
        char path[64];
        pid_t other, command;

        (void)state;
        prepare(&s, "trap 'echo end; exit' USR1; echo $$; for i in {1..1200}; do sleep 0.05; done");
        start(&s);
        wait_for_word(&s);
        stream_flush(&s.out);
        command = (pid_t)strtol(s.out.capture.head, NULL, 10);
        snprintf(path, sizeof(path), "/proc/%d/fd/1", (int)command);
        other = fork();
        if (other == 0) {
                static const char flood[4096] = { [0 ... 4095] = 'f' };
                int fd = open(path, O_WRONLY | O_CLOEXEC);

                for (int i = 0; fd >= 0 && write(fd, flood, sizeof(flood)) > 0; i++)
                        if (i == 2)
                                kill(command, SIGUSR1);
                _exit(0);
        }
        finish(&s);
        assert_true(time_monotonic() - begun < 55 * TIME_SECOND);
        assert_true(s.out.came > 8192);
        kill(other, SIGKILL);
        assert_int_equal(waitpid(other, NULL, 0), other);
        clean(&s);
}

/* ---- its end ---- */

static void time_is_over(void **state) {
        struct scene s;

        (void)state;
        prepare(&s, "trap '' TERM; echo ready; while :; do sleep 300; done");
        s.setup.timeout = 15 * TIME_SECOND; /* long enough for it to be ready */
        start(&s);
        assert_int_equal(job_deadline(&s.job), s.job.begun + 15 * TIME_SECOND);
        finish(&s);
        assert_true(s.job.outcome.timed_out);
        assert_false(s.job.outcome.cancelled);
        assert_int_equal(s.job.outcome.status, SIGKILL);
        assert_true(s.job.outcome.duration >= 15 * TIME_SECOND && s.job.outcome.duration < 250 * TIME_SECOND);
        assert_said(&s.out, "ready\n");
        clean(&s);
}

static void somebody_wants_its_end(void **state) {
        FD_AUTO event = eventfd(1, EFD_CLOEXEC);
        struct scene s;

        (void)state;
        prepare(&s, "sleep 300");
        s.setup.cancel_fd = event;
        start(&s);
        finish(&s);
        assert_true(s.job.outcome.cancelled);
        assert_false(s.job.outcome.timed_out);
        assert_int_equal(s.job.outcome.status, SIGKILL);
        assert_true(s.job.outcome.duration < 250 * TIME_SECOND);
        clean(&s);
}

/* One that does what it is asked to has its own exit. */
static void it_ends_when_asked_to(void **state) {
        struct scene s;

        (void)state;
        prepare(&s, "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 300 & wait; done");
        start(&s);
        wait_for_word(&s);
        job_cancel(&s.job, SIGTERM, 300 * TIME_SECOND);
        finish(&s);
        assert_true(s.job.outcome.cancelled);
        assert_int_equal(WEXITSTATUS(s.job.outcome.status), 5);
        assert_said(&s.out, "ready\nbye\n");
        clean(&s);
}

/* One that does not is killed, and the first who asked counts. */
static void it_does_not(void **state) {
        int64_t begun;
        struct scene s;

        (void)state;
        prepare(&s, "trap '' TERM; echo ready; while :; do sleep 300; done");
        s.setup.timeout = 300 * TIME_SECOND;
        start(&s);
        wait_for_word(&s);
        begun = time_monotonic();
        job_cancel(&s.job, SIGTERM, TIME_SECOND / 2);
        assert_true(job_deadline(&s.job) >= begun + TIME_SECOND / 2 && job_deadline(&s.job) < begun + 100 * TIME_SECOND);
        job_cancel(&s.job, SIGTERM, 200 * TIME_SECOND);
        assert_true(job_deadline(&s.job) < begun + 100 * TIME_SECOND);
        finish(&s);
        assert_true(s.job.outcome.cancelled);
        assert_int_equal(s.job.outcome.status, SIGKILL);
        assert_true(time_monotonic() - begun >= TIME_SECOND / 2 && time_monotonic() - begun < 100 * TIME_SECOND);
        clean(&s);
}

/* Before its time is over; what comes first counts. */
static void at_once(void **state) {
        struct scene s;

        (void)state;
        prepare(&s, "trap '' TERM; sleep 300");
        s.setup.timeout = 1;
        start(&s);
        job_cancel(&s.job, SIGKILL, 300 * TIME_SECOND);
        job_cancel(&s.job, SIGTERM, 0);
        assert_int_equal(job_deadline(&s.job), 0);
        finish(&s);
        assert_true(s.job.outcome.cancelled);
        assert_false(s.job.outcome.timed_out);
        clean(&s);
}

/* ---- what is left ---- */

static void nobody_is_left(void **state) {
        struct scene s;
        char *end;
        pid_t daemon;

        (void)state;
        prepare(&s, "setsid sleep 300 & echo $!");
        start(&s);
        finish(&s);
        daemon = (pid_t)strtol(s.out.capture.head, &end, 10);
        assert_true(daemon > 1);
        assert_int_equal(kill(daemon, 0), -1);
        assert_int_equal(errno, ESRCH);
        clean(&s);
}

static void what_cannot_start(void **state) {
        int before = count_files();
        struct err err = {};
        struct scene s;

        (void)state;
        prepare(&s, "");
        s.launch.program = "no-such-program-anywhere";
        assert_int_equal(job_run(&s.setup, &s.job.outcome, &err), -1);
        assert_int_equal(err.code, ERR_NOT_FOUND);
        s.setup.epoll_fd = STDIN_FILENO; /* which is none */
        s.launch.program = "bash";
        assert_int_equal(job_start(&s.job, &s.setup, &err), -1);
        assert_non_null(strstr(err.msg, "epoll"));
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        assert_int_equal(errno, ECHILD);
        assert_int_equal(count_files(), before);
        clean(&s);
}

/* Wherever files come to an end on the way. */
static void without_files(void **state) {
        struct rlimit limit, tight;
        int before = count_files(), failures = 0, result = -1;

        (void)state;
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
        for (tight = limit, tight.rlim_cur = 0; result < 0; tight.rlim_cur++) {
                struct err err = {};
                struct scene s;

                prepare(&s, "exit 3");
                s.setup.err = &s.err;
                assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
                result = job_run(&s.setup, &s.job.outcome, &err);
                assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
                assert_int_equal(count_files(), before);
                failures += result < 0;
                if (result < 0)
                        assert_int_equal(err.sys, EMFILE);
                else
                        assert_int_equal(WEXITSTATUS(s.job.outcome.status), 3);
                clean(&s);
        }
        assert_true(failures > 5);
}

/* ---- several at once ---- */

enum { JOBS = 16 };

static void several_at_once(void **state) {
        FD_AUTO loop = epoll_create1(EPOLL_CLOEXEC);
        int before = count_files(), left = JOBS;
        struct scene *scenes = calloc(JOBS, sizeof(*scenes));
        char scripts[JOBS][96];
        struct epoll_event event;

        (void)state;
        assert_non_null(scenes);
        for (int i = 0; i < JOBS; i++) {
                snprintf(scripts[i], sizeof(scripts[i]), "echo begin %d; sleep 0.%d; echo end %d >&2; exit %d", i, i % 4, i, i);
                prepare(&scenes[i], scripts[i]);
                scenes[i].launch.announce = i % 2;
                scenes[i].setup.err = &scenes[i].err;
                scenes[i].setup.epoll_fd = loop;
                scenes[i].setup.epoll_data = &scenes[i];
                start(&scenes[i]);
        }
        while (left > 0) {
                struct err err;
                struct scene *s;

                assert_int_equal(epoll_wait(loop, &event, 1, 60000), 1);
                s = event.data.ptr;
                left -= job_turn(&s->job, false, &err) == JOB_ENDED;
        }
        for (int i = 0; i < JOBS; i++) {
                char text[32];

                assert_int_equal(WEXITSTATUS(scenes[i].job.outcome.status), i);
                assert_int_equal(scenes[i].job.running, i % 2);
                snprintf(text, sizeof(text), "begin %d\n", i);
                assert_said(&scenes[i].out, text);
                snprintf(text, sizeof(text), "end %d\n", i);
                assert_said(&scenes[i].err, text);
                clean(&scenes[i]);
        }
        assert_int_equal(epoll_wait(loop, &event, 1, 0), 0);
        assert_int_equal(count_files(), before);
        free(scenes);
}

/* ---- sockets of its network ---- */

struct taken {
        int calls;
        struct egress_sockets sockets;
};

static void take(void *context, struct egress_sockets *sockets) {
        struct taken *taken = context;

        taken->calls++;
        taken->sockets = *sockets;
}

/* As in a sandbox without mounts. */
static void prepare_network(struct scene *s, const char *script, const uint16_t *port) {
        prepare(s, script);
        s->launch.namespaces = LAUNCH_NAMESPACES_AND_NET;
        s->launch.own_pids = true;
        s->launch.egress = (struct launch_egress){ .host_ports = port, .host_port_count = 1 };
}

static void sockets_are_handed_on(void **state) {
        const uint16_t port = 5432;
        struct taken taken = {};
        struct err err = {};
        struct scene s;
        int server;

        (void)state;
        prepare_network(&s, "exec 3<>/dev/tcp/127.0.0.1/5432 && cat <&3", &port);
        s.setup.egress = take;
        s.setup.egress_context = &taken;
        if (job_start(&s.job, &s.setup, &err) < 0)
                skip(); /* no namespaces here */
        while (!taken.calls)
                assert_int_equal(job_turn(&s.job, true, &err), JOB_RUNS);
        assert_true(taken.sockets.count >= 1 && taken.sockets.items[0].port == port);
        assert_int_equal(poll(&(struct pollfd){ .fd = taken.sockets.items[0].fd, .events = POLLIN }, 1, 60000), 1);
        server = accept4(taken.sockets.items[0].fd, NULL, NULL, SOCK_CLOEXEC);
        assert_int_equal(write(server, "from outside\n", 13), 13);
        close(server);
        finish(&s);
        assert_said(&s.out, "from outside\n");
        assert_int_equal(taken.calls, 1);
        egress_sockets_close(&taken.sockets);
        launch_reap(&s.job.launched);
        clean(&s);
}

/* They are closed: a connection is refused, and does not wait for ever. */
static void sockets_that_nobody_wants(void **state) {
        const uint16_t port = 5432;
        struct err err = {};
        struct scene s;

        (void)state;
        prepare_network(&s, "until ! (: <>/dev/tcp/127.0.0.1/5432) 2>/dev/null; do sleep 0.01; done; echo refused", &port);
        if (job_start(&s.job, &s.setup, &err) < 0)
                skip();
        finish(&s);
        assert_said(&s.out, "refused\n");
        launch_reap(&s.job.launched);
        clean(&s);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(output_in_order),
                cmocka_unit_test(output_apart),
                cmocka_unit_test(the_rest_of_the_output),
                cmocka_unit_test(somebody_else_goes_on),
                cmocka_unit_test(time_is_over),
                cmocka_unit_test(somebody_wants_its_end),
                cmocka_unit_test(it_ends_when_asked_to),
                cmocka_unit_test(it_does_not),
                cmocka_unit_test(at_once),
                cmocka_unit_test(nobody_is_left),
                cmocka_unit_test(what_cannot_start),
                cmocka_unit_test(without_files),
                cmocka_unit_test(several_at_once),
                cmocka_unit_test(sockets_are_handed_on),
                cmocka_unit_test(sockets_that_nobody_wants),
        };

        return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
