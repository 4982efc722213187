/*
 * What background commands are given to read while they run, and signals for them.
 */
#include "tests/engine/session_test.h"

enum { PIPE_SIZE = 64 << 10, QUEUE_MAX = 1 << 20 };

static struct id start_reading(struct scene *scene, const char *command) {
        struct id id = start_with(scene, &(struct bailey_run_options){ .command = command, .background = 1, .input = 1 });

        wait_for(scene, &id, BAILEY_EVENT_STARTED);
        return id;
}

static int try_type(struct scene *scene, const struct id *id, const struct bailey_input *input, struct bailey_input_taken *ret,
                    char error[static 512]) {
        error[0] = 0;
        return bailey_input(scene->session, id->text, input, ret, error, 512);
}

static void type_text(struct scene *scene, const struct id *id, struct str text) {
        struct bailey_input_taken taken;
        char error[512];

        if (try_type(scene, id, &(struct bailey_input){ .text = text.ptr, .length = text.len }, &taken, error) < 0)
                fail_msg("%s", error);
        assert_int_equal(taken.taken, text.len);
}

static void type(struct scene *scene, const struct id *id, const char *text) {
        type_text(scene, id, str_z(text));
}

static void type_end(struct scene *scene, const struct id *id) {
        struct bailey_input_taken taken;
        char error[512];

        if (try_type(scene, id, &(struct bailey_input){ .end = 1 }, &taken, error) < 0)
                fail_msg("%s", error);
}

static void assert_refused(struct scene *scene, const struct id *id, const char *text, const char *why) {
        struct bailey_input_taken taken;
        char error[512];

        assert_int_equal(try_type(scene, id, &(struct bailey_input){ .text = text, .length = strlen(text) }, &taken, error),
                         -1);
        if (!strstr(error, why))
                fail_msg("not '%s': %s", why, error);
}

/* Until its output has this. */
static void wait_for_text(struct scene *scene, const struct id *id, const char *text) {
        for (bool found = false; !found;) {
                struct bailey_reading reading = read_all(scene, id);

                found = strstr(reading.out.text, text) != NULL;
                if (!found && reading.status != BAILEY_STATUS_RUNNING)
                        fail_msg("it has ended without '%s': %s%s", text, reading.out.text, reading.err.text);
                bailey_reading_free(&reading);
                if (!found)
                        wait_for(scene, id, BAILEY_EVENT_OUTPUT);
        }
}

static void assert_ends_with(struct scene *scene, const struct id *id, const char *text) {
        struct bailey_reading reading;

        wait_for(scene, id, BAILEY_EVENT_ENDED);
        reading = read_all(scene, id);
        assert_text(&reading.out, text);
        assert_int_equal(reading.status, BAILEY_STATUS_COMPLETED);
        bailey_reading_free(&reading);
}

/* ---- writing ---- */

static void a_command_reads_what_is_typed(void **state) {
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_reading(&scene, "while read -r line; do echo \"got $line\"; done; echo end");
        type(&scene, &id, "one\ntwo\n");
        wait_for_text(&scene, &id, "got two\n");
        type(&scene, &id, "thr");
        type(&scene, &id, "ee\n");
        wait_for_text(&scene, &id, "got three\n");
        type_end(&scene, &id);
        assert_ends_with(&scene, &id, "got one\ngot two\ngot three\nend\n");
        scene_end(&scene);
}

/* As before there was any input: whatever reads it goes on at once. */
static void without_it_there_is_nothing_to_read(void **state) {
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_background(&scene, "cat; echo end");
        assert_ends_with(&scene, &id, "end\n");
        assert_refused(&scene, &id, "x", "has ended");
        id = start_background(&scene, "sleep 1000");
        assert_refused(&scene, &id, "x", "was not started with an open one");
        scene_end(&scene);
}

/* Any bytes, and more than fits into a pipe. Meanwhile others are served. */
static void much_is_typed(void **state) {
        struct bailey_input_taken taken;
        char *bytes = malloc(QUEUE_MAX), error[512];
        struct scene scene;
        struct id id;

        (void)state;
        assert_non_null(bytes);
        for (size_t i = 0; i < QUEUE_MAX; i++)
                bytes[i] = (char)(i * 7);
        scene_begin(&scene, NULL);
        id = start_reading(&scene, "until [ -e go ]; do sleep 0.05; done; cksum; echo end");
        type_text(&scene, &id, str_from(bytes, QUEUE_MAX));
        assert_int_equal(try_type(&scene, &id, &(struct bailey_input){ .text = bytes, .length = QUEUE_MAX }, &taken, error),
                         -1);
        assert_non_null(strstr(error, "wait already that the command has not read"));
        assert_int_equal(try_type(&scene, &id, &(struct bailey_input){ .text = bytes, .length = PIPE_SIZE }, &taken, error), 0);
        assert_int_equal(taken.waiting, QUEUE_MAX);
        type_end(&scene, &id);
        assert_refused(&scene, &id, "x", "was closed by an earlier call");
        {
                struct id other = start(&scene, "touch go");
                struct bailey_outcome outcome = take(&scene, &other);

                assert_int_equal(outcome.exit_code, 0);
                bailey_outcome_free(&outcome);
        }
        wait_for_text(&scene, &id, "1114112\nend\n");
        free(bytes);
        scene_end(&scene);
}

static void who_does_not_read_is_told_of(void **state) {
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_reading(&scene, "exec 0<&-; echo closed; sleep 1000");
        wait_for_text(&scene, &id, "closed");
        assert_refused(&scene, &id, "x", "has closed its standard input");
        assert_refused(&scene, &id, "x", "has closed its standard input");
        scene_end(&scene);
}

/* An end that others keep open would never come. */
static void the_end_comes_though_others_started_since(void **state) {
        struct scene scene;
        struct id id, others[4];

        (void)state;
        scene_begin(&scene, NULL);
        id = start_reading(&scene, "cat; echo end");
        for (size_t i = 0; i < 4; i++)
                others[i] = i % 2 ? start_reading(&scene, "sleep 1000") : start_background(&scene, "sleep 1000");
        for (size_t i = 0; i < 3; i++) {
                struct id one = start(&scene, "true");
                struct bailey_outcome outcome = take(&scene, &one);

                bailey_outcome_free(&outcome);
        }
        type_end(&scene, &id);
        assert_ends_with(&scene, &id, "end\n");
        assert_int_equal(status_of(&scene, &others[0]), BAILEY_STATUS_RUNNING);
        scene_end(&scene);
}

static void another_session_has_no_such_shell(void **state) {
        struct scene scene, other;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_reading(&scene, "cat");
        scene_begin(&other, NULL);
        assert_refused(&other, &id, "x", "no shell has the id");
        assert_int_equal(bailey_signal(other.session, id.text, SIGINT, NULL, 0), -1);
        scene_end(&other);
        scene_end(&scene);
}

/* ---- shells ---- */

/* Each is typed after the one before; NULL in place of the reason: it passes. */
static const struct {
        const char *name;
        struct {
                const char *text, *why;
        } typed[6];
} talks[] = {
        { "one command", { { "rm -rf /\n", "recursive-delete-root" }, { "echo fine\n", NULL } } },
        { "in pieces", { { "rm -r", NULL }, { "f /\n", "recursive-delete-root" }, { "f old\n", NULL } } },
        { "by a variable", { { "d=/\n", NULL }, { "rm -rf $d\n", "recursive-delete-root" } } },
        { "in another directory",
          { { "cd /etc\n", NULL }, { "rm -rf *\n", "recursive-delete-root" }, { "echo x > hosts\n", "write-system" } } },
        { "by a function", { { "f() { rm -rf \"$1\"; }\n", NULL }, { "f /\n", "recursive-delete-root" } } },
        { "in a loop",
          { { "while true\n", NULL },
            { "do\n", NULL },
            { "rm -rf /\n", "recursive-delete-root" },
            { "break; done\n", NULL } } },
        { "behind what was not finished",
          { { "echo 'it\n", NULL }, { "rm -rf /\n", "recursive-delete-root" }, { "is'\n", NULL } } },
        { "behind a document",
          { { "cat <<END\n", NULL }, { "rm -rf /\n", "recursive-delete-root" }, { "text\nEND\n", NULL } } },
        { "behind what was given up",
          { { "cd /etc\nif true\n", NULL },
            { "fi; fi\n", "not-readable" },
            { "echo (\n", "not-readable" },
            { "rm -rf *\n", "recursive-delete-root" },
            { "then echo; fi\n", NULL } } },
        { "what cannot be parsed", { { ")\n", "not-readable" }, { "echo fine\n", NULL } } },
};

static void what_a_shell_reads_is_judged(void **state) {
        static const char *const shells[] = { "bash", "exec sh", "env X=1 bash -s a b", "cd . && timeout 100 bash --norc" };

        (void)state;
        for (size_t t = 0; t < sizeof(talks) / sizeof(*talks); t++) {
                struct scene scene;
                struct id id;

                print_message("# %s\n", talks[t].name);
                scene_begin(&scene, NULL);
                id = start_reading(&scene, shells[t % 4]);
                for (size_t i = 0; talks[t].typed[i].text; i++)
                        if (talks[t].typed[i].why)
                                assert_refused(&scene, &id, talks[t].typed[i].text, talks[t].typed[i].why);
                        else
                                type(&scene, &id, talks[t].typed[i].text);
                scene_end(&scene);
        }
}

static void what_others_read_is_not(void **state) {
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_reading(&scene, "cat; bash -c 'echo end'");
        type(&scene, &id, "rm -rf /\n");
        type_end(&scene, &id);
        assert_ends_with(&scene, &id, "rm -rf /\nend\n");
        scene_end(&scene);
}

static void a_shell_keeps_its_state(void **state) {
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_reading(&scene, "bash");
        type(&scene, &id, "mkdir d; cd d; x=5\n");
        assert_refused(&scene, &id, "cd /; rm -rf *\n", "recursive-delete-root");
        type(&scene, &id, "echo \"$x ${PWD##*/}\"\nexit 0\n");
        assert_ends_with(&scene, &id, "5 d\n");
        scene_end(&scene);
}

static void a_shell_is_not_given_too_much(void **state) {
        struct scene scene;
        char line[4096];
        struct id id;
        int count = 0;

        (void)state;
        memset(line, 'x', sizeof(line) - 2);
        line[0] = '#';
        line[sizeof(line) - 2] = '\n';
        line[sizeof(line) - 1] = 0;
        scene_begin(&scene, (const char *const[]){ "guard.max_command_length_bytes=5000", NULL });
        id = start_reading(&scene, "bash");
        for (struct bailey_input_taken taken; count < 100; count++) {
                char error[512];

                if (try_type(&scene, &id, &(struct bailey_input){ .text = line, .length = strlen(line) }, &taken, error) < 0) {
                        assert_non_null(strstr(error, "start another"));
                        break;
                }
        }
        assert_int_equal(count, 16);
        scene_end(&scene);
}

static void all_of_it_is_on_record(void **state) {
        struct scene scene;
        size_t length;
        char *text;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_reading(&scene, "bash");
        type(&scene, &id, "echo typed\n");
        assert_refused(&scene, &id, "rm -rf /\n", "recursive-delete-root");
        type(&scene, &id, "exit\n");
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        assert_int_equal(bailey_audit_recent(scene.policy, 100, &text, &length), 0);
        assert_non_null(strstr(text, "\"kind\":\"input\""));
        assert_non_null(strstr(text, "\"command\":\"echo typed\\n\""));
        assert_non_null(strstr(text, "\"command\":\"rm -rf /\\n\""));
        assert_non_null(strstr(text, "\"action\":\"blocked\""));
        bailey_free(text);
        scene_end(&scene);
}

/* Known ones, whoever reads them; what the command gets is the text itself. */
static void secrets_are_not_recorded(void **state) {
        static const char *const programs[] = { "bash", "cat >got" };

        (void)state;
        for (size_t i = 0; i < 2; i++) {
                struct scene scene;
                size_t length;
                char *text;
                struct id id;

                scene_begin(&scene, NULL);
                id = start_reading(&scene, programs[i]);
                type(&scene, &id, "echo \"a-tk-0123456789abcdef-b\" | cut -c 3-11\n");
                type_end(&scene, &id);
                assert_ends_with(&scene, &id, i ? "" : "tk-012345\n");
                assert_int_equal(bailey_audit_recent(scene.policy, 100, &text, &length), 0);
                assert_non_null(strstr(text, "echo \\\"a-[redacted MY_API_TOKEN]-b\\\" | cut -c 3-11\\n"));
                assert_null(strstr(text, "0123456789abcdef"));
                bailey_free(text);
                scene_end(&scene);
        }
}

/* ---- signals ---- */

static void signals_arrive(void **state) {
        static const int numbers[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT };
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_background(
                &scene, "for s in INT TERM QUIT HUP USR1 USR2 CONT; do trap \"echo got-$s\" $s; done; echo up; while :; do "
                        "sleep 0.05; done");
        wait_for_text(&scene, &id, "up");
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
                static const char *const names[] = { "INT", "TERM", "QUIT", "HUP", "USR1", "USR2", "CONT" };
                char text[16];

                snprintf(text, sizeof(text), "got-%s", names[i]);
                assert_int_equal(bailey_signal(scene.session, id.text, numbers[i], NULL, 0), 0);
                wait_for_text(&scene, &id, text);
        }
        assert_int_equal(status_of(&scene, &id), BAILEY_STATUS_RUNNING);
        scene_end(&scene);
}

/* A process that has left the group is not told. */
static void only_its_group_is_told(void **state) {
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_background(&scene, "trap 'echo yes' USR1; setsid bash -c 'trap \"echo no\" USR1; echo other; while :; do "
                                      "sleep 0.05; done' & while :; do sleep 0.05; done");
        wait_for_text(&scene, &id, "other");
        for (int i = 0; i < 3; i++) {
                assert_int_equal(bailey_signal(scene.session, id.text, SIGUSR1, NULL, 0), 0);
                wait_for_text(&scene, &id, i ? "yes\nyes" : "yes");
        }
        {
                struct bailey_reading reading = read_all(&scene, &id);

                assert_null(strstr(reading.out.text, "no"));
                bailey_reading_free(&reading);
        }
        scene_end(&scene);
}

static void wrong_signals_are_refused(void **state) {
        char error[512] = "";
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_background(&scene, "sleep 1000");
        for (int number = -1; number <= 1000; number += number < 1 ? 1 : 500) {
                if (number == 1)
                        continue;
                assert_int_equal(bailey_signal(scene.session, id.text, number, error, sizeof(error)), -1);
                assert_non_null(strstr(error, "not the number of a signal"));
        }
        bailey_kill(scene.session, id.text, SIGKILL);
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        assert_int_equal(bailey_signal(scene.session, id.text, SIGINT, error, sizeof(error)), -1);
        assert_non_null(strstr(error, "has ended"));
        scene_end(&scene);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_command_reads_what_is_typed),
                cmocka_unit_test(without_it_there_is_nothing_to_read),
                cmocka_unit_test(much_is_typed),
                cmocka_unit_test(who_does_not_read_is_told_of),
                cmocka_unit_test(the_end_comes_though_others_started_since),
                cmocka_unit_test(another_session_has_no_such_shell),
                cmocka_unit_test(what_a_shell_reads_is_judged),
                cmocka_unit_test(what_others_read_is_not),
                cmocka_unit_test(a_shell_keeps_its_state),
                cmocka_unit_test(a_shell_is_not_given_too_much),
                cmocka_unit_test(all_of_it_is_on_record),
                cmocka_unit_test(secrets_are_not_recorded),
                cmocka_unit_test(signals_arrive),
                cmocka_unit_test(only_its_group_is_told),
                cmocka_unit_test(wrong_signals_are_refused),
        };

        be_inside(argc, argv);
        return cmocka_run_group_tests(tests, NULL, NULL);
}
