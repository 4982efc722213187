/*
 * What the server does when time passes, with a clock that the test turns: progress, and how long a call waits for output.
 */
#include "tests/test.h"

#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "mcp/call.h"

enum { PATIENCE_MS = 60000, MANY = 40 };

struct scene {
        char directory[64], workspace[80], home[96], state[96], homes[256];
        struct bailey_policy *policy;
        struct mcp_options options;
        struct mcp_server server;
        int from; /* what the server has sent can be read there */
};

static void begin(struct scene *scene) {
        const char *const environment[] = { scene->home, scene->state, scene->homes, "PATH=/usr/local/bin:/usr/bin:/bin",
                                            NULL };
        struct bailey_policy_options options = { .workspace = scene->workspace, .environment = environment };
        struct err err;
        char error[512];
        int ends[2];

        *scene = (struct scene){ .directory = "/tmp/mcp_time.XXXXXX", .server.now = 1000 * TIME_SECOND };
        assert_non_null(mkdtemp(scene->directory));
        snprintf(scene->workspace, sizeof(scene->workspace), "%s/work", scene->directory);
        snprintf(scene->home, sizeof(scene->home), "HOME=%s", scene->directory);
        snprintf(scene->state, sizeof(scene->state), "XDG_STATE_HOME=%s/state", scene->directory);
        snprintf(scene->homes, sizeof(scene->homes), "BAILEY_HOME_DIR=%s", getenv("BAILEY_HOME_DIR") ?: "");
        assert_int_equal(mkdir(scene->workspace, 0700), 0);
        assert_int_equal(bailey_policy_load(&options, &scene->policy, error, sizeof(error)), 0);
        assert_int_equal(bailey_session_new(scene->policy, environment, &scene->server.session, error, sizeof(error)), 0);
        scene->server.options = &scene->options;
        assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
        scene->from = ends[0];
        assert_int_equal(wire_open(&scene->server.wire, -1, ends[1], &err), 0);
}

static void end(struct scene *scene) {
        char command[128];

        bailey_session_free(scene->server.session);
        bailey_policy_free(scene->policy);
        for (struct call *call = scene->server.calls; call; call = call->next)
                call->done = true;
        calls_drop_done(&scene->server);
        close(scene->from);
        close(scene->server.wire.out);
        wire_close(&scene->server.wire);
        snprintf(command, sizeof(command), "rm -rf %s", scene->directory);
        assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): the path is our own */
}

static void pass(struct scene *scene, int64_t time) {
        scene->server.now += time;
        server_work(&scene->server);
}

/* What the server has to say, a line, before any of it is sent; NULL: nothing. */
static json_t *said(struct scene *scene) {
        struct buf *queue = &scene->server.wire.queue;
        size_t len = str_find(buf_str(queue), '\n');
        json_t *message;

        if (!queue->len)
                return NULL;
        message = json_loadb(queue->ptr, len, 0, NULL);
        assert_non_null(message);
        memmove(queue->ptr, queue->ptr + len + 1, queue->len - len - 1);
        queue->len -= len + 1;
        return message;
}

/* The same, once it has something to say. */
static json_t *hear(struct scene *scene) {
        struct pollfd fd = { .fd = bailey_session_fd(scene->server.session), .events = POLLIN };
        json_t *message = said(scene);

        while (!message) {
                assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
                bailey_session_step(scene->server.session);
                pass(scene, 0);
                message = said(scene);
        }
        return message;
}

static void assert_silent(struct scene *scene) {
        assert_int_equal(scene->server.wire.queue.len, 0);
}

/* {"method": "tools/call"}, with a token that is the same as the id. */
static void ask(struct scene *scene, int id, const char *tool, const char *arguments) {
        char line[1024];

        snprintf(line, sizeof(line),
                 "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":%s,"
                 "\"_meta\":{\"progressToken\":%d}}}",
                 id, tool, arguments, id);
        rpc_take(&scene->server, str_z(line), false);
}

static json_int_t token_of(json_t *message) {
        return json_integer_value(json_object_get(json_object_get(message, "params"), "progressToken"));
}

static const char *text_of(json_t *answer, const char *name) {
        json_t *structured = json_object_get(json_object_get(answer, "result"), "structuredContent");

        return json_string_value(json_object_get(structured, name));
}

/* ---- progress ---- */

/* A call as it is while its command runs; nothing is ever new about that. */
static void add_call(struct scene *scene, int id) {
        struct call *call = calloc(1, sizeof(*call));
        char token[16];

        assert_non_null(call);
        snprintf(token, sizeof(token), "%d", id);
        *call = (struct call){
                .next = scene->server.calls,
                .id = strdup(token),
                .progress = strdup(token),
                .waits = WAITS_END,
                .begun = scene->server.now,
                .told_at = scene->server.now,
                .child_fd = -1,
        };
        scene->server.calls = call;
        scene->server.call_count++;
}

/* Whatever else is said, and however many have begun together, each is told of in time. */
static void nobody_is_forgotten(void **state) {
        struct scene scene;
        int64_t told[MANY];

        (void)state;
        begin(&scene);
        for (int i = 0; i < MANY; i++) {
                add_call(&scene, i);
                told[i] = scene.server.now;
        }
        for (int seconds = 1; seconds <= 60; seconds++) {
                json_t *message;

                rpc_take(&scene.server, STR("{\"jsonrpc\":\"2.0\",\"id\":\"else\",\"method\":\"ping\"}"), false);
                pass(&scene, TIME_SECOND);
                while ((message = said(&scene))) {
                        if (json_object_get(message, "method"))
                                told[token_of(message)] = scene.server.now;
                        json_decref(message);
                }
                for (int i = 0; i < MANY; i++)
                        assert_true(scene.server.now - told[i] < 10 * TIME_SECOND);
        }
        end(&scene);
}

static void fill_pipe(struct scene *scene) {
        static const char blank[4096];

        for (int i = 0; i < 1024; i++)
                buf_append(&scene->server.wire.queue, str_from(blank, sizeof(blank)));
        assert_int_equal(wire_flush(&scene->server.wire), 0);
        assert_true(scene->server.wire.behind);
}

static void drain_pipe(struct scene *scene) {
        char chunk[4096];

        while (wire_pending(&scene->server.wire)) {
                while (read(scene->from, chunk, sizeof(chunk)) > 0)
                        ;
                assert_int_equal(wire_flush(&scene->server.wire), 0);
        }
}

/* Seconds until there is something to be sent. */
static int time_until_told(struct scene *scene) {
        size_t before = wire_pending(&scene->server.wire);
        int seconds = 0;

        while (wire_pending(&scene->server.wire) == before && seconds < 100) {
                assert_true(call_deadline(&scene->server, scene->server.calls) > scene->server.now); /* nor does it spin */
                seconds++;
                pass(scene, TIME_SECOND);
        }
        return seconds;
}

/* News can wait for a client that is behind, a sign of life cannot. */
static void a_client_that_is_behind(void **state) {
        struct scene scene;

        (void)state;
        begin(&scene);
        add_call(&scene, 1);
        scene.server.calls->news = true;
        assert_int_equal(time_until_told(&scene), 1);
        fill_pipe(&scene);
        scene.server.calls->news = true;
        assert_in_range(time_until_told(&scene), 8, 10);
        scene.server.calls->news = true;
        assert_in_range(time_until_told(&scene), 8, 10);
        drain_pipe(&scene);
        scene.server.calls->news = true;
        assert_int_equal(time_until_told(&scene), 1);
        end(&scene);
}

/* One that has not read 16 MiB is told no more until it does. */
static void a_client_that_does_not_read(void **state) {
        struct scene scene;

        (void)state;
        begin(&scene);
        add_call(&scene, 1);
        while (wire_pending(&scene.server.wire) < WIRE_FULL)
                fill_pipe(&scene);
        assert_int_equal(call_deadline(&scene.server, scene.server.calls), 0);
        pass(&scene, 100 * TIME_SECOND);
        drain_pipe(&scene);
        assert_true(call_deadline(&scene.server, scene.server.calls) <= scene.server.now);
        pass(&scene, 0);
        assert_true(wire_pending(&scene.server.wire) > 0);
        end(&scene);
}

/* ---- waiting for output ---- */

static void start_shell(struct scene *scene, const char *command, char shell[static BAILEY_ID_SIZE]) {
        char arguments[256];
        json_t *answer;

        snprintf(arguments, sizeof(arguments), "{\"command\":\"%s\",\"description\":\"d\",\"run_in_background\":true}",
                 command);
        ask(scene, 1, "Bash", arguments);
        answer = hear(scene);
        snprintf(shell, BAILEY_ID_SIZE, "%s", text_of(answer, "shell_id"));
        json_decref(answer);
}

static void read_shell(struct scene *scene, int id, const char *shell, const char *more) {
        char arguments[256];

        snprintf(arguments, sizeof(arguments), "{\"shell_id\":\"%s\"%s}", shell, more);
        ask(scene, id, "BashOutput", arguments);
}

/* A call that waits says so, too, and is not told of after its answer. */
static void progress_of_waiting(void **state) {
        char shell[BAILEY_ID_SIZE];
        struct scene scene;
        json_t *message;

        (void)state;
        begin(&scene);
        start_shell(&scene, "sleep 300", shell);
        read_shell(&scene, 2, shell, ",\"wait_ms\":15000");
        for (int i = 0; i < 10; i++)
                pass(&scene, TIME_SECOND);
        message = said(&scene);
        assert_int_equal(token_of(message), 2);
        json_decref(message);
        assert_silent(&scene);
        pass(&scene, 5 * TIME_SECOND);
        message = said(&scene);
        assert_string_equal(text_of(message, "status"), "running");
        json_decref(message);
        pass(&scene, 100 * TIME_SECOND);
        assert_silent(&scene);
        end(&scene);
}

static void answered(struct scene *scene, const char *output) {
        json_t *message = said(scene);

        assert_string_equal(text_of(message, "stdout"), output);
        json_decref(message);
}

/* The longest wait is 30 seconds, whatever is asked for. */
static void waiting_has_an_end(void **state) {
        static const char *const asked[] = { "30000", "30001", "3600000", "9223372036854775807" };
        char shell[BAILEY_ID_SIZE], more[64];
        struct scene scene;

        (void)state;
        begin(&scene);
        start_shell(&scene, "sleep 300", shell);
        for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
                int64_t start = scene.server.now;

                snprintf(more, sizeof(more), ",\"wait_ms\":%s", asked[i]);
                read_shell(&scene, 2, shell, more);
                free(scene.server.calls->progress);
                scene.server.calls->progress = NULL;
                while (!scene.server.wire.queue.len)
                        pass(&scene, TIME_SECOND / 10);
                answered(&scene, "");
                assert_int_equal(scene.server.now - start, 30 * TIME_SECOND);
        }
        end(&scene);
}

/* Without a cursor all output is new. */
static void what_is_there_is_not_waited_for(void **state) {
        char shell[BAILEY_ID_SIZE];
        struct scene scene;
        json_t *message;

        (void)state;
        begin(&scene);
        start_shell(&scene, "echo up; sleep 300", shell);
        read_shell(&scene, 2, shell, ",\"wait_ms\":30000");
        message = hear(&scene); /* at the latest when it comes */
        assert_string_equal(text_of(message, "stdout"), "up\n");
        json_decref(message);
        read_shell(&scene, 3, shell, ",\"wait_ms\":30000");
        answered(&scene, "up\n");
        read_shell(&scene, 4, shell, ",\"wait_ms\":30000,\"since\":\"3.0\"");
        assert_silent(&scene);
        end(&scene);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(nobody_is_forgotten),         cmocka_unit_test(a_client_that_is_behind),
                cmocka_unit_test(a_client_that_does_not_read), cmocka_unit_test(progress_of_waiting),
                cmocka_unit_test(waiting_has_an_end),          cmocka_unit_test(what_is_there_is_not_waited_for),
        };

        return cmocka_run_group_tests_name("time", tests, NULL, NULL);
}
