/*
 * How commands of a session are ended: by somebody, before they have begun, all at once; and what is kept of them then.
 */
#include "tests/engine/session_test.h"

#include <libgen.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>

/* ---- by somebody ---- */

#define TRAPS "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 300 & wait; done"
#define IGNORES "trap '' TERM; echo ready; while :; do sleep 300; done"

static const char *const backends[] = { "sandbox.backend=native", "sandbox.backend=bwrap", "sandbox.backend=landlock" };

/* False where there is no such sandbox. */
static bool begins(struct scene *scene, const struct id *id) {
        int64_t deadline = time_monotonic() + 120 * TIME_SECOND;
        struct bailey_event event;

        do
                assert_true(next_event(scene, &event, deadline));
        while (strcmp(event.id, id->text) != 0 || event.kind == BAILEY_EVENT_STARTED);
        return event.kind == BAILEY_EVENT_OUTPUT;
}

/* One that does what it is asked to, in each sandbox. */
static void it_ends_when_asked_to(void **state) {
        size_t tried = 0;

        (void)state;
        for (size_t i = 0; i < sizeof(backends) / sizeof(*backends); i++) {
                const char *const overrides[] = { backends[i], "run.kill_grace=60s", NULL };
                struct scene scene;
                struct id id;

                scene_begin(&scene, overrides);
                id = start_background(&scene, TRAPS);
                if (begins(&scene, &id)) {
                        struct bailey_reading reading;

                        assert_int_equal(bailey_kill(scene.session, id.text, SIGTERM), 0);
                        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
                        reading = read_all(&scene, &id);
                        assert_int_equal(reading.status, BAILEY_STATUS_KILLED);
                        assert_int_equal(reading.exit_code, 5);
                        assert_text(&reading.out, "ready\nbye\n");
                        bailey_reading_free(&reading);
                        assert_int_equal(bailey_kill(scene.session, id.text, SIGTERM), 0);
                        assert_int_equal(bailey_kill(scene.session, id.text, SIGKILL), 0);
                        assert_int_equal(status_of(&scene, &id), BAILEY_STATUS_KILLED);
                        tried++;
                }
                scene_end(&scene);
        }
        assert_true(tried > 0);
}

static void it_does_not(void **state) {
        size_t tried = 0;

        (void)state;
        for (size_t i = 0; i < sizeof(backends) / sizeof(*backends); i++) {
                const char *const overrides[] = { backends[i], "run.kill_grace=300ms", NULL };
                struct scene scene;
                struct id id;
                int64_t begun;

                scene_begin(&scene, overrides);
                id = start_background(&scene, IGNORES);
                if (begins(&scene, &id)) {
                        begun = time_monotonic();
                        assert_int_equal(bailey_kill(scene.session, id.text, SIGTERM), 0);
                        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
                        assert_true(time_monotonic() - begun >= 3 * TIME_SECOND / 10);
                        assert_true(time_monotonic() - begun < 60 * TIME_SECOND);
                        assert_int_equal(status_of(&scene, &id), BAILEY_STATUS_KILLED);
                        tried++;
                }
                scene_end(&scene);
        }
        assert_true(tried > 0);
}

static void nobody_is_there(void **state) {
        struct scene scene;

        (void)state;
        scene_begin(&scene, NULL);
        assert_int_equal(bailey_kill(scene.session, "", SIGTERM), -1);
        assert_int_equal(bailey_kill(scene.session, "00000000-0000-4000-8000-000000000000", SIGTERM), -1);
        scene_end(&scene);
}

/* ---- while somebody holds the record ---- */

static int hold_record(const struct scene *scene) {
        char path[160];
        int fd;

        snprintf(path, sizeof(path), "%s/state/bailey/audit.jsonl", scene->directory);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        assert_true(fd >= 0);
        assert_int_equal(flock(fd, LOCK_EX), 0);
        return fd;
}

/* Nothing runs that cannot be recorded, and nobody waits for long to hear that; nor until it is over. */
static void a_record_that_is_held(void **state) {
        struct bailey_outcome outcome;
        struct scene scene;
        struct id id;
        int64_t begun;
        int fd, end;

        (void)state;
        scene_begin(&scene, NULL);
        for (int i = 0; i < 5; i++) {
                id = start_background(&scene, "echo up; sleep 300");
                wait_for(&scene, &id, BAILEY_EVENT_OUTPUT);
        }
        fd = hold_record(&scene);
        begun = time_monotonic();
        for (int i = 0; i < 5; i++) {
                id = start(&scene, "echo never");
                outcome = take(&scene, &id);
                assert_int_equal(outcome.end, BAILEY_FAILED);
                assert_non_null(strstr(outcome.message, "cannot be written to the audit log"));
                bailey_outcome_free(&outcome);
        }
        assert_true(time_monotonic() - begun < 10 * TIME_SECOND); /* the patience of one that has nothing else to do */
        close(fd);
        do { /* until it is tried again */
                id = start(&scene, "echo now");
                outcome = take(&scene, &id);
                end = outcome.end;
                bailey_outcome_free(&outcome);
        } while (end != BAILEY_EXITED && time_monotonic() - begun < 60 * TIME_SECOND);
        assert_int_equal(end, BAILEY_EXITED);
        fd = hold_record(&scene);
        begun = time_monotonic();
        bailey_session_free(scene.session);
        scene.session = NULL;
        assert_true(time_monotonic() - begun < 10 * TIME_SECOND);
        close(fd);
        scene_end(&scene);
}

/* ---- before it has begun ---- */

/* At once after the start; whatever the sandbox was just doing, nothing runs and it is told. */
static void before_it_has_begun(void **state) {
        static const int numbers[] = { SIGKILL, SIGTERM };

        (void)state;
        for (size_t i = 0; i < sizeof(backends) / sizeof(*backends); i++)
                for (int k = 0; k < 4; k++) {
                        const char *const overrides[] = { backends[i], NULL };
                        struct bailey_run_options options = { .command = "sleep 300", .background = k / 2 };
                        struct scene scene;
                        struct id id;

                        scene_begin(&scene, overrides);
                        id = start_with(&scene, &options);
                        assert_int_equal(bailey_kill(scene.session, id.text, numbers[k % 2]), 0);
                        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
                        if (k / 2) {
                                assert_true(status_of(&scene, &id) == BAILEY_STATUS_KILLED ||
                                            status_of(&scene, &id) == BAILEY_STATUS_FAILED);
                        } else {
                                struct bailey_outcome outcome;

                                assert_int_equal(bailey_take(scene.session, id.text, &outcome), 1);
                                assert_true(outcome.end == BAILEY_CANCELLED || outcome.end == BAILEY_FAILED);
                                bailey_outcome_free(&outcome);
                        }
                        scene_end(&scene);
                }
}

static void no_time_at_all(void **state) {
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_with(&scene, &(struct bailey_run_options){ .command = "sleep 300", .background = 1, .timeout_ms = 1 });
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        assert_int_equal(status_of(&scene, &id), BAILEY_STATUS_TIMED_OUT);
        scene_end(&scene);
}

/* Where the first sandbox does not work, the next one must not be started for a command that nobody wants any more. */
static void between_two_sandboxes(void) {
        static const int numbers[] = { SIGTERM, SIGKILL };

        for (size_t i = 0; i < 2; i++) {
                struct bailey_outcome outcome;
                struct scene scene;
                struct id id;

                scene_begin(&scene, NULL);
                id = start(&scene, "sleep 300");
                assert_int_equal(bailey_kill(scene.session, id.text, numbers[i]), 0);
                outcome = take(&scene, &id);
                assert_int_equal(outcome.end, BAILEY_CANCELLED);
                assert_true(outcome.duration_ms < 60000);
                bailey_outcome_free(&outcome);
                scene_end(&scene);
        }
}

/* This program once more, where there are no namespaces. */
static void where_namespaces_are_missing(void **state) {
        char self[PATH_MAX] = "", copy[PATH_MAX], helper[PATH_MAX + 16];
        int status;
        pid_t pid;

        (void)state;
        assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
        memcpy(copy, self, sizeof(copy));
        snprintf(helper, sizeof(helper), "%s/no_userns", dirname(copy));
        pid = fork();
        if (pid == 0) {
                execl(helper, "no_userns", self, "between", NULL);
                _exit(127);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
}

/* ---- all at once ---- */

static void all_at_once(void **state) {
        struct scene scene;
        int64_t begun;

        (void)state;
        scene_begin(&scene, NULL);
        for (int i = 0; i < 12; i++)
                start_with(&scene, &(struct bailey_run_options){
                                           .command = i % 3 ? IGNORES : "yes", .background = i % 2, .timeout_ms = 0 });
        for (int i = 0; i < 20; i++)
                bailey_session_step(scene.session);
        begun = time_monotonic();
        scene_end(&scene);
        assert_true(time_monotonic() - begun < 120 * TIME_SECOND);
}

static void wait_for_bytes(struct scene *scene, const struct id *id, unsigned long long count) {
        struct bailey_reading reading = read_all(scene, id);

        while (reading.out.bytes <= count) {
                bailey_reading_free(&reading);
                wait_for(scene, id, BAILEY_EVENT_OUTPUT);
                reading = read_all(scene, id);
        }
        bailey_reading_free(&reading);
}

/* A flood in some does not keep the others waiting. */
static void floods(void **state) {
        struct scene scene;
        struct id flood[3];

        (void)state;
        scene_begin(&scene, NULL);
        for (size_t i = 0; i < 3; i++)
                flood[i] = start_background(&scene, "yes 'a line of a flood'");
        for (size_t i = 0; i < 3; i++)
                wait_for_bytes(&scene, &flood[i], 100000);
        for (int i = 0; i < 10; i++) {
                struct id id = start(&scene, "echo hi");
                struct bailey_outcome outcome = take(&scene, &id);

                assert_int_equal(outcome.end, BAILEY_EXITED);
                assert_str_equal(str_from(outcome.output, outcome.output_length), STR("hi\n"));
                assert_true(outcome.duration_ms < 60000);
                bailey_outcome_free(&outcome);
        }
        for (size_t i = 0; i < 3; i++)
                assert_int_equal(status_of(&scene, &flood[i]), BAILEY_STATUS_RUNNING);
        scene_end(&scene);
}

/* ---- limits ---- */

static void too_many(void **state) {
        static const char *const overrides[] = { "run.max_shells=2", NULL };
        struct bailey_run_options options = { .command = "sleep 300", .background = 1 };
        char error[256] = "", id[BAILEY_ID_SIZE] = "untouched";
        struct bailey_outcome outcome;
        struct scene scene;
        struct id first, one;

        (void)state;
        scene_begin(&scene, overrides);
        first = start_with(&scene, &options);
        start_with(&scene, &options);
        assert_int_equal(bailey_start(scene.session, &options, id, error, sizeof(error)), -1);
        assert_string_equal(id, "untouched");
        assert_non_null(strstr(error, "run.max_shells"));
        one = start(&scene, "echo hi"); /* which is not in the background */
        outcome = take(&scene, &one);
        assert_int_equal(outcome.end, BAILEY_EXITED);
        bailey_outcome_free(&outcome);
        assert_int_equal(bailey_kill(scene.session, first.text, SIGKILL), 0);
        wait_for(&scene, &first, BAILEY_EVENT_ENDED);
        start_with(&scene, &options);
        scene_end(&scene);
}

static void only_the_newest_are_kept(void **state) {
        static const char *const overrides[] = { "run.kept_shells=2", NULL };
        struct scene scene;
        struct id ids[5];

        (void)state;
        scene_begin(&scene, overrides);
        for (size_t i = 0; i < 5; i++) {
                ids[i] = start_background(&scene, "echo hi");
                wait_for(&scene, &ids[i], BAILEY_EVENT_ENDED);
                assert_true(is_known(&scene, &ids[i]));
        }
        bailey_session_step(scene.session);
        for (size_t i = 0; i < 5; i++)
                assert_int_equal(is_known(&scene, &ids[i]), i >= 3);
        scene_end(&scene);
}

/* However much they wrote: what came of them is known, of the newest also what they wrote. */
static void much_output_is_not_kept(void **state) {
        static const char *const overrides[] = { "run.background_output_bytes=8MiB", NULL };
        enum { COUNT = 5, BYTES = 8000000 };
        struct scene scene;
        struct id ids[COUNT];

        (void)state;
        scene_begin(&scene, overrides);
        for (size_t i = 0; i < COUNT; i++) {
                ids[i] = start_background(&scene, "head -c 8000000 /dev/zero | tr '\\0' x; echo end >&2; exit 3");
                wait_for(&scene, &ids[i], BAILEY_EVENT_ENDED);
        }
        bailey_session_step(scene.session);
        for (size_t i = 0; i < COUNT; i++) {
                struct bailey_reading reading = read_all(&scene, &ids[i]);

                assert_int_equal(reading.status, BAILEY_STATUS_COMPLETED);
                assert_int_equal(reading.exit_code, 3);
                assert_int_equal(reading.out.bytes, BYTES);
                assert_int_equal(reading.err.bytes, 4);
                assert_string_equal(reading.next, "8000000.4");
                if (i == 0) {
                        assert_text(&reading.out, "... (8000000 bytes of output are no longer available)\n");
                        assert_int_equal(reading.out.elided, BYTES);
                        assert_int_equal(reading.err.elided, 4);
                } else {
                        assert_text(&reading.err, "end\n");
                }
                bailey_reading_free(&reading);
        }
        scene_end(&scene);
}

/* Their time is over without anybody asking for them. */
static void only_for_a_while(void **state) {
        static const char *const overrides[] = { "run.keep_shells_for=5s", NULL };
        struct bailey_event event;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, overrides);
        id = start_background(&scene, "echo hi");
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        assert_true(is_known(&scene, &id));
        assert_false(next_event(&scene, &event, time_monotonic() + 6 * TIME_SECOND));
        assert_false(is_known(&scene, &id));
        scene_end(&scene);
}

/* ---- in any order ---- */

static uint64_t seed = 88172645463325252;

static size_t any(size_t below) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        return seed % below;
}

static void do_anything(struct scene *scene, struct id *id) {
        static const char *const commands[] = { "echo hi", "rm -rf /", "sleep 0.05; echo hi >&2", "sleep 300", "yes", IGNORES };
        struct bailey_run_options options = { .command = commands[any(6)], .background = (int)any(2) };
        struct bailey_outcome outcome;
        struct bailey_event event;

        switch (any(6)) {
        case 0:
                bailey_kill(scene->session, id->text, any(2) ? SIGKILL : SIGTERM);
                bailey_start(scene->session, &options, id->text, NULL, 0);
                break;
        case 1:
                bailey_kill(scene->session, id->text, any(2) ? SIGKILL : SIGTERM);
                break;
        case 2:
                (void)is_known(scene, id);
                break;
        case 3:
                if (bailey_take(scene->session, id->text, &outcome) == 1)
                        bailey_outcome_free(&outcome);
                break;
        case 4:
                (void)bailey_session_event(scene->session, &event);
                break;
        default:
                bailey_session_step(scene->session);
        }
}

static void in_any_order(void **state) {
        static const char *const overrides[] = { "run.kill_grace=20ms", "run.kept_shells=3", "run.max_shells=4",
                                                 "run.keep_shells_for=500ms", NULL };
        struct id ids[8] = {};
        struct scene scene;

        (void)state;
        scene_begin(&scene, overrides);
        for (int i = 0; i < 800; i++)
                do_anything(&scene, &ids[any(8)]);
        scene_end(&scene);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_record_that_is_held),
                cmocka_unit_test(it_ends_when_asked_to),
                cmocka_unit_test(it_does_not),
                cmocka_unit_test(nobody_is_there),
                cmocka_unit_test(before_it_has_begun),
                cmocka_unit_test(no_time_at_all),
                cmocka_unit_test(where_namespaces_are_missing),
                cmocka_unit_test(all_at_once),
                cmocka_unit_test(floods),
                cmocka_unit_test(too_many),
                cmocka_unit_test(only_the_newest_are_kept),
                cmocka_unit_test(much_output_is_not_kept),
                cmocka_unit_test(only_for_a_while),
                cmocka_unit_test(in_any_order),
        };

        be_inside(argc, argv);
        if (argc == 2 && strcmp(argv[1], "between") == 0) {
                between_two_sandboxes();
                return 0;
        }
        return cmocka_run_group_tests_name("session, ends", tests, NULL, NULL);
}
