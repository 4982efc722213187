/*
 * The output of commands under way: all of it, from a place on, lines of it, bounded, and without what must not be seen.
 */
#include "tests/engine/session_test.h"

#include <fcntl.h>

#include "base/buf.h"
#include "base/fd.h"

/* Lets a command go on that waits for a file. */
static void make_file(const struct scene *scene, const char *name) {
        char path[128];
        int fd;

        snprintf(path, sizeof(path), "%s/%s", scene->workspace, name);
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        fd_close(fd);
}

#define UNTIL(name) "until [ -e " name " ]; do sleep 0.02; done; "

/* Reads until both streams are as long as that. */
static struct bailey_reading read_until(struct scene *scene, const struct id *id, size_t out, size_t err) {
        struct bailey_reading reading = read_all(scene, id);

        while (reading.out.length < out || reading.err.length < err) {
                bailey_reading_free(&reading);
                wait_for(scene, id, BAILEY_EVENT_OUTPUT);
                reading = read_all(scene, id);
        }
        return reading;
}

static void while_it_runs(void **state) {
        struct bailey_reading reading;
        struct bailey_outcome outcome;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        /* A letter at the end would be held back if a secret of this host begins with it. */
        id = start_background(&scene, "echo out; printf 'no newline ' >&2; " UNTIL("go") "echo end; exit 7");
        reading = read_until(&scene, &id, 4, 11);
        assert_int_equal(reading.status, BAILEY_STATUS_RUNNING);
        assert_int_equal(reading.exit_code, 0);
        assert_text(&reading.out, "out\n");
        assert_text(&reading.err, "no newline ");
        assert_int_equal(strlen(reading.started), strlen("2026-11-16T04:30:00.000Z"));
        assert_true(str_starts(str_z(reading.command), STR("echo out; ")));
        bailey_reading_free(&reading);
        assert_int_equal(bailey_take(scene.session, id.text, &outcome), 0);
        make_file(&scene, "go");
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        for (int i = 0; i < 2; i++) {
                reading = read_all(&scene, &id);
                assert_int_equal(reading.status, BAILEY_STATUS_COMPLETED);
                assert_int_equal(reading.exit_code, 7);
                assert_text(&reading.out, "out\nend\n");
                assert_int_equal(reading.out.bytes, 8);
                bailey_reading_free(&reading);
        }
        assert_int_equal(bailey_take(scene.session, id.text, &outcome), -1);
        scene_end(&scene);
}

/* A foreground command can be looked at, too, which does not change what it ends with. */
static void in_the_foreground(void **state) {
        struct bailey_reading reading;
        struct bailey_outcome outcome;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start(&scene, "echo out; echo err >&2; " UNTIL("go") "echo end");
        reading = read_until(&scene, &id, 8, 0);
        assert_text(&reading.out, "out\nerr\n");
        assert_text(&reading.err, "");
        bailey_reading_free(&reading);
        make_file(&scene, "go");
        outcome = take(&scene, &id);
        assert_str_equal(str_from(outcome.output, outcome.output_length), STR("out\nerr\nend\n"));
        bailey_outcome_free(&outcome);
        scene_end(&scene);
}

/* From one `next` to the other nothing is missing and nothing comes twice, whenever one looks. */
static void from_a_place_on(void **state) {
        struct bailey_read_options options = {};
        char next[64] = "0.0";
        struct scene scene;
        struct id id;
        bool over = false;
        BUF_AUTO out, err, expected;

        (void)state;
        buf_init(&out, 1 << 20);
        buf_init(&err, 1 << 20);
        buf_init(&expected, 1 << 20);
        scene_begin(&scene, NULL);
        id = start_background(&scene, "for i in $(seq 2000); do echo \"line $i\"; printf 'é%d ' $i >&2; done");
        options.since = next;
        while (!over) {
                struct bailey_reading reading;
                struct bailey_event event;

                assert_true(next_event(&scene, &event, time_monotonic() + 120 * TIME_SECOND));
                over = event.kind == BAILEY_EVENT_ENDED;
                options.limit = over ? 1 << 20 : 700;
                reading = read_with(&scene, &id, &options);
                buf_append(&out, str_from(reading.out.text, reading.out.length));
                buf_append(&err, str_from(reading.err.text, reading.err.length));
                assert_int_equal(reading.out.elided + reading.err.elided, 0);
                snprintf(next, sizeof(next), "%s", reading.next);
                bailey_reading_free(&reading);
        }
        for (int i = 1; i <= 2000; i++)
                buf_format(&expected, "line %d\n", i);
        assert_str_equal(buf_str(&out), buf_str(&expected));
        buf_clear(&expected);
        for (int i = 1; i <= 2000; i++)
                buf_format(&expected, "é%d ", i);
        assert_str_equal(buf_str(&err), buf_str(&expected));
        scene_end(&scene);
}

static void a_place_that_is_none(void **state) {
        static const char *const wrong[] = { "", "1", "x", "1.2.3", "1.2 ", "1.x", "." };
        struct bailey_reading reading;
        char error[256];
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_background(&scene, "echo hi");
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
                struct bailey_read_options options = { .since = wrong[i] };

                assert_int_equal(bailey_read(scene.session, id.text, &options, &reading, error, sizeof(error)), -1);
                assert_non_null(strstr(error, "since"));
        }
        /* Behind the end there is nothing, and then what comes there. */
        reading = read_with(&scene, &id, &(struct bailey_read_options){ .since = "18446744073709551615.7" });
        assert_text(&reading.out, "");
        assert_string_equal(reading.next, "3.0");
        bailey_reading_free(&reading);
        assert_int_equal(
                bailey_read(scene.session, "no such id", &(struct bailey_read_options){}, &reading, error, sizeof(error)), -1);
        assert_non_null(strstr(error, "no such id"));
        scene_end(&scene);
}

/* More than is kept: head, what is missing, tail; and from any place on what there is. */
static void more_than_is_kept(void **state) {
        static const char *const overrides[] = { "run.background_output_bytes=4KiB", NULL };
        struct bailey_reading reading;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, overrides);
        id = start_background(&scene, "for i in {1000..9999}; do echo $i; done");
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        reading = read_all(&scene, &id);
        assert_int_equal(reading.out.bytes, 45000);
        assert_int_equal(reading.out.elided, 45000 - 4090); /* whole lines of each half */
        assert_true(str_starts(str_from(reading.out.text, reading.out.length), STR("1000\n1001\n")));
        assert_true(str_ends(str_from(reading.out.text, reading.out.length), STR("\n9998\n9999\n")));
        assert_non_null(strstr(reading.out.text, "\n... (output truncated, 40910 bytes elided)\n"));
        bailey_reading_free(&reading);
        reading = read_with(&scene, &id, &(struct bailey_read_options){ .since = "20000.0" });
        assert_true(str_starts(str_from(reading.out.text, reading.out.length), STR("... (output truncated, ")));
        assert_int_equal(reading.out.elided, 25000 - 2048);
        assert_string_equal(reading.next, "45000.0");
        bailey_reading_free(&reading);
        reading = read_with(&scene, &id, &(struct bailey_read_options){ .limit = 10, .tail = 1 });
        assert_text(&reading.out, "9998\n9999\n");
        bailey_reading_free(&reading);
        for (size_t limit = 1; limit < 40; limit++) {
                reading = read_with(&scene, &id, &(struct bailey_read_options){ .limit = limit });
                assert_true(45000 - reading.out.elided <= limit);
                bailey_reading_free(&reading);
        }
        scene_end(&scene);
}

/* On record is whether anything was left out, of whichever stream. */
static void left_out_on_record(void **state) {
        static const char *const overrides[] = { "run.background_output_bytes=4KiB", NULL };
        static const struct {
                const char *command, *truncated;
        } rows[] = {
                { "echo few; echo few >&2", "\"truncated\":false" },
                { "for i in {1000..9999}; do echo $i; done", "\"truncated\":true" },
                { "for i in {1000..9999}; do echo $i; done >&2", "\"truncated\":true" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct scene scene;
                struct id id;
                size_t length;
                char *text;

                scene_begin(&scene, overrides);
                id = start_background(&scene, rows[i].command);
                wait_for(&scene, &id, BAILEY_EVENT_ENDED);
                assert_int_equal(bailey_audit_recent(scene.policy, 1, &text, &length), 0);
                assert_non_null(strstr(text, rows[i].truncated));
                bailey_free(text);
                scene_end(&scene);
        }
}

/* ---- lines of it ---- */

static void lines_that_match(void **state) {
        struct bailey_reading reading;
        char error[256];
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_background(&scene, "for i in {1..30}; do echo line $i; done; printf 'last line 3' >&2");
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        reading = read_with(&scene, &id, &(struct bailey_read_options){ .filter = "3$" });
        assert_text(&reading.out, "line 3\nline 13\nline 23\n");
        assert_text(&reading.err, "last line 3\n");
        assert_int_equal(reading.out.elided, 0);
        bailey_reading_free(&reading);
        reading = read_with(&scene, &id, &(struct bailey_read_options){ .filter = "line", .limit = 20 });
        assert_true(reading.out.length > 0 && reading.out.elided > 0);
        bailey_reading_free(&reading);
        reading = read_with(&scene, &id, &(struct bailey_read_options){ .filter = "^$", .since = "0.0" });
        assert_text(&reading.out, "");
        bailey_reading_free(&reading);
        assert_int_equal(bailey_read(scene.session, id.text, &(struct bailey_read_options){ .filter = "(" }, &reading, error,
                                     sizeof(error)),
                         -1);
        assert_non_null(strstr(error, "filter"));
        scene_end(&scene);
}

/* An expression that takes for ever does not: others of the session wait meanwhile. */
static void a_filter_without_end(void **state) {
        struct bailey_reading reading;
        char error[256] = "";
        int64_t begun;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_background(&scene, "line=$(printf 'a%.0s' {1..60})b; for i in {1..10000}; do echo $line; done");
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        begun = time_monotonic();
        assert_int_equal(bailey_read(scene.session, id.text, &(struct bailey_read_options){ .filter = "(a+)+$" }, &reading,
                                     error, sizeof(error)),
                         -1);
        assert_non_null(strstr(error, "filter: matching takes too long"));
        assert_true(time_monotonic() - begun < 60 * TIME_SECOND);
        scene_end(&scene);
}

/* ---- what must not be seen ---- */

/* A secret that comes in two parts, with somebody looking in between; and what a terminal would be told. */
static void secrets_and_escapes(void **state) {
        struct bailey_reading reading;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_background(&scene, "printf 'is tk-01234'; " UNTIL("go") "printf '56789abcdef\\n\\033[31mred\\033[0m\\a\\n'");
        reading = read_until(&scene, &id, 3, 0);
        assert_text(&reading.out, "is ");
        bailey_reading_free(&reading);
        make_file(&scene, "go");
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        reading = read_all(&scene, &id);
        assert_text(&reading.out, "is [redacted MY_API_TOKEN]\nred^G\n");
        bailey_reading_free(&reading);
        scene_end(&scene);
}

/* ---- the list ---- */

static void all_in_the_background(void **state) {
        struct bailey_shell_list list;
        struct scene scene;
        struct id first, second;

        (void)state;
        scene_begin(&scene, NULL);
        assert_int_equal(bailey_shells(scene.session, &list), 0);
        assert_int_equal(list.count, 0);
        bailey_shell_list_free(&list);
        first = start_background(&scene, "echo \"a\nb\"; exit 4");
        start(&scene, "echo foreground");
        wait_for(&scene, &first, BAILEY_EVENT_ENDED);
        second = start_background(&scene, "sleep 300");
        assert_int_equal(bailey_shells(scene.session, &list), 0);
        assert_int_equal(list.count, 2);
        assert_string_equal(list.items[0].id, first.text);
        assert_int_equal(list.items[0].status, BAILEY_STATUS_COMPLETED);
        assert_true(list.items[0].ended);
        assert_int_equal(list.items[0].exit_code, 4);
        assert_str_equal(str_from(list.items[0].command.text, list.items[0].command.length), STR("echo \"a\nb\"; exit 4"));
        assert_int_equal(list.items[0].out_bytes, 4);
        assert_string_equal(list.items[1].id, second.text);
        assert_int_equal(list.items[1].status, BAILEY_STATUS_RUNNING);
        assert_false(list.items[1].ended);
        bailey_shell_list_free(&list);
        scene_end(&scene);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(while_it_runs),       cmocka_unit_test(in_the_foreground),
                cmocka_unit_test(from_a_place_on),     cmocka_unit_test(a_place_that_is_none),
                cmocka_unit_test(more_than_is_kept),   cmocka_unit_test(lines_that_match),
                cmocka_unit_test(left_out_on_record),  cmocka_unit_test(a_filter_without_end),
                cmocka_unit_test(secrets_and_escapes), cmocka_unit_test(all_in_the_background),
        };

        be_inside(argc, argv);
        return cmocka_run_group_tests_name("session, reading", tests, NULL, NULL);
}
