/*
 * The server, spoken to line by line: batches, a client that is always a little behind, commands that end before they begin.
 */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mcp/server.h"
#include "mcp/wire.h"

struct scene {
        char directory[64], workspace[80], home[96], state[96], homes[256];
        pid_t server;
        FILE *to, *from;
};

static _Noreturn void serve(const struct scene *scene, int in, int out) {
        const char *const environment[] = { scene->home, scene->state, scene->homes, "PATH=/usr/local/bin:/usr/bin:/bin",
                                            NULL };
        struct bailey_policy_options options = { .workspace = scene->workspace, .environment = environment };
        struct mcp_options server = { .environment = environment, .in = in, .out = out, .stop_fd = -1 };
        char error[512] = "";
        struct bailey_policy *policy;
        int result;

        signal(SIGPIPE, SIG_IGN);
        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0)
                _exit(2);
        server.policy = policy;
        result = mcp_serve(&server, error, sizeof(error));
        if (result < 0)
                fprintf(stderr, "# %s\n", error);
        bailey_policy_free(policy);
        exit(result < 0); /* what was leaked is told */
}

static void begin_on(struct scene *scene, const int in[static 2]) {
        int out[2];

        *scene = (struct scene){ .directory = "/tmp/mcp_test.XXXXXX" };
        assert_non_null(mkdtemp(scene->directory));
        snprintf(scene->workspace, sizeof(scene->workspace), "%s/work", scene->directory);
        snprintf(scene->home, sizeof(scene->home), "HOME=%s", scene->directory);
        snprintf(scene->state, sizeof(scene->state), "XDG_STATE_HOME=%s/state", scene->directory);
        snprintf(scene->homes, sizeof(scene->homes), "BAILEY_HOME_DIR=%s", getenv("BAILEY_HOME_DIR") ?: "");
        assert_int_equal(mkdir(scene->workspace, 0700), 0);
        assert_int_equal(pipe2(out, O_CLOEXEC), 0);
        scene->server = fork();
        if (scene->server == 0) {
                close(in[1]);
                close(out[0]);
                serve(scene, in[0], out[1]);
        }
        close(in[0]);
        close(out[1]);
        scene->to = fdopen(in[1], "w");
        scene->from = fdopen(out[0], "r");
        assert_non_null(scene->to);
        assert_non_null(scene->from);
}

static void begin(struct scene *scene) {
        int in[2];

        assert_int_equal(pipe2(in, O_CLOEXEC), 0);
        begin_on(scene, in);
}

static void leave(const struct scene *scene) {
        char command[128];

        snprintf(command, sizeof(command), "rm -rf %s", scene->directory);
        assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): the path is our own */
}

static void end(struct scene *scene) {
        int status;

        fclose(scene->to);
        assert_int_equal(fgetc(scene->from), EOF); /* nothing was said that nobody asked for */
        fclose(scene->from);
        assert_int_equal(waitpid(scene->server, &status, 0), scene->server);
        assert_int_equal(status, 0);
        leave(scene);
}

static void say(struct scene *scene, const char *line) {
        fputs(line, scene->to);
        fputc('\n', scene->to);
        assert_int_equal(fflush(scene->to), 0);
}

static json_t *hear(struct scene *scene) {
        char *line = NULL;
        size_t size = 0;
        ssize_t len = getline(&line, &size, scene->from);
        json_t *message;

        assert_true(len > 0);
        message = json_loadb(line, (size_t)len, 0, NULL);
        assert_non_null(message);
        free(line);
        return message;
}

static void agree_upon(struct scene *scene, const char *version) {
        char line[256];
        json_t *answer;

        snprintf(line, sizeof(line),
                 "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\"}}", version);
        say(scene, line);
        answer = hear(scene);
        assert_string_equal(json_string_value(json_object_get(json_object_get(answer, "result"), "protocolVersion")), version);
        json_decref(answer);
}

static json_int_t code_of(json_t *answer) {
        return json_integer_value(json_object_get(json_object_get(answer, "error"), "code"));
}

static json_t *structured(json_t *answer) {
        return json_object_get(json_object_get(answer, "result"), "structuredContent");
}

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define BASH(id, command)                                                                                \
        "{\"jsonrpc\":\"2.0\",\"id\":" id                                                                \
        ",\"method\":\"tools/call\",\"params\":{\"name\":\"Bash\",\"arguments\":{\"command\":\"" command \
        "\",\"description\":\"d\"}}}"
#define CANCEL(id) "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

/* ---- batches ---- */

static void a_batch_is_answered_by_one(void **state) {
        struct scene scene;
        json_t *answers, *answer;
        char go[96];
        size_t i;
        bool seen[4] = {};
        int fd;

        (void)state;
        begin(&scene);
        agree_upon(&scene, "2025-03-26");
        say(&scene, "[" BASH("1", "until [ -e go ]; do sleep 0.05; done; echo one") "," PING(
                            "2") ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}," BASH("3", "echo three") "]");
        say(&scene, PING("4")); /* which does not have to wait */
        answer = hear(&scene);
        assert_int_equal(json_integer_value(json_object_get(answer, "id")), 4);
        json_decref(answer);
        snprintf(go, sizeof(go), "%s/go", scene.workspace);
        fd = open(go, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        close(fd);
        answers = hear(&scene);
        assert_int_equal(json_array_size(answers), 3);
        json_array_foreach(answers, i, answer) {
                json_int_t id = json_integer_value(json_object_get(answer, "id"));

                assert_true(id >= 1 && id <= 3 && !seen[id]);
                seen[id] = true;
                if (id == 1)
                        assert_string_equal(json_string_value(json_object_get(structured(answer), "output")), "one\n");
        }
        json_decref(answers);
        end(&scene);
}

/* Nothing but notifications, nothing at all, what is no message, and what does not go into one. */
static void odd_batches(void **state) {
        struct scene scene;
        json_t *answer;

        (void)state;
        begin(&scene);
        agree_upon(&scene, "2025-03-26");
        say(&scene, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}]");
        say(&scene, "[]");
        answer = hear(&scene);
        assert_true(json_is_object(answer));
        assert_int_equal(code_of(answer), -32600);
        json_decref(answer);
        say(&scene,
            "[1,[],{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}]");
        answer = hear(&scene);
        assert_int_equal(json_array_size(answer), 3);
        for (size_t i = 0; i < 3; i++)
                assert_int_equal(code_of(json_array_get(answer, i)), -32600);
        json_decref(answer);
        end(&scene);
}

/* As many as may be are answered; with one more, by one error and at once, however many there are. */
static void large_batches(void **state) {
        static const struct { size_t count, answers; } batches[] = { { 256, 256 }, { 257, 0 }, { 2500000, 0 } };
        struct scene scene;
        json_t *answer;

        (void)state;
        begin(&scene);
        agree_upon(&scene, "2025-03-26");
        for (size_t i = 0; i < sizeof(batches) / sizeof(*batches); i++) {
                fputs("[1", scene.to);
                for (size_t n = 1; n < batches[i].count; n++)
                        fputs(",1", scene.to);
                say(&scene, "]");
                answer = hear(&scene);
                assert_int_equal(json_array_size(answer), batches[i].answers);
                if (!batches[i].answers) {
                        assert_int_equal(code_of(answer), -32600);
                        assert_true(json_is_null(json_object_get(answer, "id")));
                }
                json_decref(answer);
        }
        say(&scene, PING("1"));
        answer = hear(&scene);
        assert_int_equal(json_integer_value(json_object_get(answer, "id")), 1);
        json_decref(answer);
        end(&scene);
}

/* What is cancelled is not answered, and does not keep the others; if all are, there is no line. */
static void part_of_a_batch_is_cancelled(void **state) {
        struct scene scene;
        json_t *answer;

        (void)state;
        begin(&scene);
        agree_upon(&scene, "2025-03-26");
        say(&scene, "[" BASH("1", "sleep 300") "," PING("2") "]");
        say(&scene, "[" BASH("3", "sleep 300") "]");
        say(&scene, "[" CANCEL("1") "," CANCEL("3") "]");
        answer = hear(&scene);
        assert_int_equal(json_array_size(answer), 1);
        assert_int_equal(json_integer_value(json_object_get(json_array_get(answer, 0), "id")), 2);
        json_decref(answer);
        say(&scene, BASH("3", "echo again"));
        do
                answer = hear(&scene); /* it may still be on its way to its end */
        while (code_of(answer) == -32600 && (json_decref(answer), say(&scene, BASH("3", "echo again")), true));
        assert_string_equal(json_string_value(json_object_get(structured(answer), "output")), "again\n");
        json_decref(answer);
        end(&scene);
}

/* The server ends while one is on its way: nothing of it is left, or ASan would tell. */
static void half_a_batch(void **state) {
        struct scene scene;

        (void)state;
        begin(&scene);
        agree_upon(&scene, "2025-03-26");
        say(&scene, "[" BASH("1", "sleep 300") "," PING("2") "]");
        end(&scene);
}

static void other_revisions_have_none(void **state) {
        static const char *const versions[] = { "2024-11-05", "2025-06-18", "2025-11-25" };
        struct scene scene;
        json_t *answer;

        (void)state;
        begin(&scene);
        for (size_t i = 0; i < 2 * sizeof(versions) / sizeof(*versions); i++) {
                agree_upon(&scene, i % 2 ? versions[i / 2] : "2025-03-26");
                say(&scene, "[" PING("1") "]");
                answer = hear(&scene);
                assert_int_equal(json_is_array(answer), i % 2 == 0);
                if (i % 2)
                        assert_int_equal(code_of(answer), -32600);
                json_decref(answer);
        }
        end(&scene);
}

/* ---- commands ---- */

/* Whether that is known with the answer: one that has to wait for a processor may hear of the start first. */
static bool is_late(struct scene *scene) {
        json_t *answer;
        const char *status;
        bool late;

        say(scene, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"Bash\",\"arguments\":{"
                   "\"command\":\"sleep 300\",\"description\":\"d\",\"run_in_background\":true,\"timeout_ms\":1}}}");
        answer = hear(scene);
        assert_true(json_is_false(json_object_get(json_object_get(answer, "result"), "isError")));
        assert_int_equal(json_string_length(json_object_get(structured(answer), "shell_id")), 36);
        status = json_string_value(json_object_get(structured(answer), "status"));
        late = strcmp(status, "timed_out") == 0;
        if (!late)
                assert_string_equal(status, "running");
        json_decref(answer);
        return late;
}

static void no_time_to_start(void **state) {
        struct scene scene;
        bool late = false;

        (void)state;
        begin(&scene);
        for (int i = 0; i < 20 && !late; i++)
                late = is_late(&scene);
        assert_true(late);
        end(&scene);
}

/* ---- the wire ---- */

/* Reads a little less than is written, for a long time: what was sent is not kept. */
static void always_a_little_behind(void **state) {
        static char bytes[64 << 10];
        int ends[2];
        struct wire wire;
        struct err err;
        size_t read_bytes = 0;

        (void)state;
        assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
        assert_int_equal(wire_open(&wire, ends[0], ends[1], &err), 0);
        memset(bytes, 'x', sizeof(bytes));
        buf_append(&wire.queue, str_from(bytes, sizeof(bytes)));
        buf_append(&wire.queue, str_from(bytes, sizeof(bytes)));
        buf_append(&wire.queue, str_from(bytes, sizeof(bytes)));
        for (int i = 0; i < 5000; i++) {
                ssize_t got;

                assert_int_equal(wire_flush(&wire), 0);
                assert_true(wire_pending(&wire) > 0);
                got = read(ends[0], bytes, sizeof(bytes));
                assert_true(got > 0);
                read_bytes += (size_t)got;
                buf_append(&wire.queue, str_from(bytes, (size_t)got));
                assert_false(wire.queue.failed);
                assert_true(wire.queue.cap < 2 << 20);
        }
        assert_true(read_bytes > WIRE_OUT_MAX);
        wire_close(&wire);
        close(ends[0]);
        close(ends[1]);
}

/* Requests, until the server takes in no more, as nobody reads what it answers. */
static void ask_too_much(struct scene *scene) {
        static const char line[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
        struct pollfd fd = { .fd = fileno(scene->to), .events = POLLOUT };

        assert_int_equal(fcntl(fd.fd, F_SETFL, O_NONBLOCK), 0);
        while (poll(&fd, 1, 2000) == 1) /* one that is merely slow hears of the end in the usual way */
                if (write(fd.fd, line, sizeof(line) - 1) < 0)
                        assert_int_equal(errno, EAGAIN);
        assert_int_equal(fclose(scene->to), 0);
}

/* Whoever does not read is gone all the same once the input has ended, be that a pipe or a socket. */
static void the_end_of_one_who_does_not_read(void **state) {
        struct scene scene;

        (void)state;
        for (int kind = 0; kind < 2; kind++) {
                int in[2], status, waited = 0;

                assert_int_equal(kind ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) : pipe2(in, O_CLOEXEC), 0);
                begin_on(&scene, in);
                ask_too_much(&scene);
                while (waitpid(scene.server, &status, WNOHANG) == 0 && waited++ < 6000)
                        usleep(10000);
                if (waited >= 6000)
                        kill(scene.server, SIGKILL);
                assert_true(waited < 6000);
                assert_int_equal(status, 0);
                fclose(scene.from);
                leave(&scene);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_batch_is_answered_by_one),
                cmocka_unit_test(odd_batches),
                cmocka_unit_test(large_batches),
                cmocka_unit_test(part_of_a_batch_is_cancelled),
                cmocka_unit_test(half_a_batch),
                cmocka_unit_test(other_revisions_have_none),
                cmocka_unit_test(no_time_to_start),
                cmocka_unit_test(always_a_little_behind),
                cmocka_unit_test(the_end_of_one_who_does_not_read),
        };

        return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
