/*
 * Commands of a session from their start to their end, as a program sees them that has nothing but the library's header.
 */
#include "tests/engine/session_test.h"

#include <limits.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

/* ---- in the foreground ---- */

static void a_command(void **state) {
        char command[] = "echo out; echo err >&2; exit 3";
        struct bailey_outcome outcome;
        struct bailey_event event;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start(&scene, command);
        memset(command, 'x', sizeof(command) - 1); /* it was copied */
        assert_int_equal(bailey_take(scene.session, id.text, &outcome), 0);
        outcome = take(&scene, &id);
        assert_int_equal(outcome.end, BAILEY_EXITED);
        assert_int_equal(outcome.exit_code, 3);
        assert_str_equal(str_from(outcome.output, outcome.output_length), STR("out\nerr\n"));
        assert_int_equal(outcome.output_bytes, 8);
        assert_non_null(outcome.backend);
        assert_non_null(outcome.enforced[0]);
        bailey_outcome_free(&outcome);
        assert_int_equal(bailey_take(scene.session, id.text, &outcome), -1);
        assert_false(is_known(&scene, &id));
        assert_int_equal(bailey_session_event(scene.session, &event), 0);
        scene_end(&scene);
}

/* Output is told before the end, and only for those in the background that they run. */
static void events_in_order(void **state) {
        static const enum bailey_event_kind expected[][3] = {
                { BAILEY_EVENT_OUTPUT, BAILEY_EVENT_ENDED }, { BAILEY_EVENT_STARTED, BAILEY_EVENT_OUTPUT, BAILEY_EVENT_ENDED }
        };

        (void)state;
        for (int background = 0; background < 2; background++) {
                int64_t deadline = time_monotonic() + 120 * TIME_SECOND;
                struct bailey_run_options options = { .command = "echo hi", .background = background };
                struct bailey_event event = { .kind = BAILEY_EVENT_STARTED };
                struct scene scene;
                struct id id;
                size_t at = 0;

                scene_begin(&scene, NULL);
                id = start_with(&scene, &options);
                for (; event.kind != BAILEY_EVENT_ENDED; at++) {
                        assert_true(next_event(&scene, &event, deadline));
                        assert_string_equal(event.id, id.text);
                        assert_int_equal(event.kind, expected[background][at]);
                }
                assert_int_equal(at, 2 + background);
                scene_end(&scene);
        }
}

static void a_time_that_is_over(void **state) {
        struct bailey_outcome outcome;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_with(&scene, &(struct bailey_run_options){ .command = "echo begin; sleep 300", .timeout_ms = 15000 });
        outcome = take(&scene, &id);
        assert_int_equal(outcome.end, BAILEY_TIMED_OUT);
        assert_int_equal(outcome.exit_code, 124);
        assert_str_equal(str_from(outcome.output, outcome.output_length), STR("begin\n"));
        bailey_outcome_free(&outcome);
        scene_end(&scene);
}

/* As long as one can say: no sum of times overflows. */
static void a_time_without_end(void **state) {
        (void)state;
        for (int background = 0; background < 2; background++) {
                struct bailey_run_options options = { .command = "echo hi", .timeout_ms = LLONG_MAX, .background = background };
                struct scene scene;
                struct id id;

                scene_begin(&scene, NULL);
                id = start_with(&scene, &options);
                wait_for(&scene, &id, BAILEY_EVENT_ENDED);
                if (background) {
                        assert_int_equal(status_of(&scene, &id), BAILEY_STATUS_COMPLETED);
                } else {
                        struct bailey_outcome outcome;

                        assert_int_equal(bailey_take(scene.session, id.text, &outcome), 1);
                        assert_int_equal(outcome.end, BAILEY_EXITED);
                        assert_non_null(strstr(outcome.notices[0], "run.timeout_max"));
                        bailey_outcome_free(&outcome);
                }
                scene_end(&scene);
        }
}

/* ---- what does not run ---- */

static void what_is_refused(void **state) {
        struct bailey_outcome outcome;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        for (int background = 0; background < 2; background++) {
                struct bailey_run_options options = { .command = "rm -rf /", .background = background };

                id = start_with(&scene, &options);
                if (background)
                        assert_int_equal(status_of(&scene, &id), BAILEY_STATUS_FAILED);
                assert_int_equal(bailey_kill(scene.session, id.text, SIGTERM), 0);
                outcome = take(&scene, &id);
                assert_int_equal(outcome.end, BAILEY_REFUSED);
                assert_int_equal(outcome.exit_code, 126);
                assert_non_null(outcome.message);
                assert_int_equal(outcome.action, BAILEY_BLOCKED);
                assert_true(outcome.reason_count > 0);
                assert_str_equal(str_from(outcome.reasons[0].rule.text, outcome.reasons[0].rule.length),
                                 STR("recursive-delete-root"));
                assert_null(outcome.backend);
                bailey_outcome_free(&outcome);
                assert_int_equal(bailey_kill(scene.session, id.text, SIGTERM), -1);
        }
        scene_end(&scene);
}

static void what_cannot_run(void **state) {
        const char *const missing[] = { "no-such-program-anywhere", "with", NULL }, *const nothing[] = { NULL };
        const struct bailey_run_options rows[] = {
                { .argv = missing },
                { .command = "true", .cwd = "/no/such/directory" },
                { .command = "true", .cwd = "no/such/directory" },
                { .argv = nothing },
                {},
        };
        struct bailey_outcome outcome;
        struct scene scene;

        (void)state;
        scene_begin(&scene, NULL);
        for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
                struct bailey_run_options options = rows[i / 2];
                struct id id;

                options.background = i % 2;
                id = start_with(&scene, &options);
                outcome = take(&scene, &id);
                assert_int_equal(outcome.end, i < 2 ? BAILEY_NOT_FOUND : BAILEY_FAILED);
                assert_int_equal(outcome.exit_code, i < 2 ? 127 : 125);
                assert_non_null(outcome.message);
                assert_null(strstr(outcome.message, "no sandbox"));
                bailey_outcome_free(&outcome);
        }
        scene_end(&scene);
}

/* What was judged is what runs. */
static void two_commands_at_once(void **state) {
        const char *const argv[] = { "touch", "made", NULL };
        struct bailey_outcome outcome;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_with(&scene, &(struct bailey_run_options){ .command = "echo judged", .argv = argv });
        outcome = take(&scene, &id);
        assert_str_equal(str_from(outcome.output, outcome.output_length), STR("judged\n"));
        bailey_outcome_free(&outcome);
        scene_end(&scene);
}

/* No files left, which says nothing of the sandbox: no weaker one is taken, and none is asked for. */
static void without_files(void **state) {
        struct rlimit limit, tight;
        struct bailey_outcome outcome;
        struct scene scene;
        struct id id;
        int failures = 0;

        (void)state;
        scene_begin(&scene, NULL);
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
        tight = limit;
        for (rlim_t more = 0;; more++) {
                int result;
                char error[512];

                tight.rlim_cur = (rlim_t)scene.files + 1 + more;
                assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
                result = bailey_start(scene.session, &(struct bailey_run_options){ .command = "echo hi" }, id.text, error,
                                      sizeof(error));
                assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
                if (result < 0)
                        continue;
                outcome = take(&scene, &id);
                assert_true(outcome.end == BAILEY_EXITED || outcome.end == BAILEY_FAILED);
                if (outcome.end == BAILEY_EXITED)
                        break;
                failures++;
                assert_null(strstr(outcome.message, "no sandbox"));
                bailey_outcome_free(&outcome);
        }
        assert_true(failures > 3);
        assert_str_equal(str_from(outcome.output, outcome.output_length), STR("hi\n"));
        if (outcome.notices)
                fail_msg("%s", outcome.notices[0]);
        bailey_outcome_free(&outcome);
        scene_end(&scene);
}

/* ---- in anybody's event loop ---- */

/* In an epoll among other files, and only when there is something to do. */
static void a_loop_of_its_own(void **state) {
        struct epoll_event interest = { .events = EPOLLIN, .data.u32 = 1 }, happened;
        int loop, other, left = 3, others = 0, turns = 0;
        struct scene scene;

        (void)state;
        scene_begin(&scene, NULL);
        loop = epoll_create1(EPOLL_CLOEXEC);
        other = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        assert_int_equal(epoll_ctl(loop, EPOLL_CTL_ADD, other, &interest), 0);
        interest.data.u32 = 2;
        assert_int_equal(epoll_ctl(loop, EPOLL_CTL_ADD, bailey_session_fd(scene.session), &interest), 0);
        start(&scene, "sleep 0.4; echo one");
        start_background(&scene, "sleep 0.2; echo two");
        start(&scene, "rm -rf /");
        while (left > 0) {
                struct bailey_event event;
                uint64_t value;

                assert_true(epoll_wait(loop, &happened, 1, PATIENCE_MS) == 1);
                if (happened.data.u32 == 1) {
                        others += read(other, &value, sizeof(value)) > 0;
                        continue;
                }
                turns++;
                bailey_session_step(scene.session);
                while (bailey_session_event(scene.session, &event) == 1)
                        left -= event.kind == BAILEY_EVENT_ENDED;
        }
        assert_int_equal(others, 1);
        assert_true(turns < 100); /* it is not told again and again */
        close(loop);
        close(other);
        scene_end(&scene);
}

/* Without anybody who listens: the commands end, and their end is still told. */
static void events_are_kept(void **state) {
        struct bailey_event event;
        struct scene scene;
        struct id ids[20];
        int ended = 0;

        (void)state;
        scene_begin(&scene, NULL);
        for (size_t i = 0; i < 20; i++)
                ids[i] = start_with(&scene, &(struct bailey_run_options){ .command = "echo hi", .background = i % 2 });
        for (int64_t deadline = time_monotonic() + 120 * TIME_SECOND; time_monotonic() < deadline && ended < 10;) {
                poll(NULL, 0, 20);
                bailey_session_step(scene.session);
                ended = 0;
                for (size_t i = 1; i < 20; i += 2)
                        ended += status_of(&scene, &ids[i]) != BAILEY_STATUS_RUNNING;
        }
        poll(NULL, 0, 500); /* for the others; and then as long as it takes */
        bailey_session_step(scene.session);
        for (ended = 0; ended < 20; ended += event.kind == BAILEY_EVENT_ENDED)
                assert_true(next_event(&scene, &event, time_monotonic() + 120 * TIME_SECOND));
        assert_int_equal(bailey_session_event(scene.session, &event), 0);
        scene_end(&scene);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_command),
                cmocka_unit_test(events_in_order),
                cmocka_unit_test(a_time_that_is_over),
                cmocka_unit_test(a_time_without_end),
                cmocka_unit_test(what_is_refused),
                cmocka_unit_test(what_cannot_run),
                cmocka_unit_test(two_commands_at_once),
                cmocka_unit_test(without_files),
                cmocka_unit_test(a_loop_of_its_own),
                cmocka_unit_test(events_are_kept),
        };

        be_inside(argc, argv);
        return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
