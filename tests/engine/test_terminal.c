/*
 * Background commands with a terminal of their own: what is typed there, what they show, and what a hostile one tries.
 */
#include "tests/engine/session_test.h"

#define SECRET "tk-0123456789abcdef" /* of the scene */

static struct id start_terminal(struct scene *scene, const char *command, int rows, int columns) {
        struct id id = start_with(scene, &(struct bailey_run_options){ .command = command,
                                                                       .background = 1,
                                                                       .terminal = BAILEY_TERMINAL_REQUIRED,
                                                                       .rows = rows,
                                                                       .columns = columns });

        wait_for(scene, &id, BAILEY_EVENT_STARTED);
        return id;
}

static int try_type(struct scene *scene, const struct id *id, const struct bailey_input *input, char error[static 512]) {
        struct bailey_input_taken taken;

        error[0] = 0;
        return bailey_input(scene->session, id->text, input, &taken, error, 512);
}

static void type_input(struct scene *scene, const struct id *id, const struct bailey_input *input) {
        char error[512];

        if (try_type(scene, id, input, error) < 0)
                fail_msg("%s", error);
}

static void type(struct scene *scene, const struct id *id, const char *text) {
        type_input(scene, id, &(struct bailey_input){ .text = text, .length = strlen(text) });
}

#define press(scene, id, ...) \
        type_input((scene), (id), &(struct bailey_input){ .keys = (const char *const[]){ __VA_ARGS__, NULL } })

static struct bailey_screen screen_of(struct scene *scene, const struct id *id) {
        struct bailey_screen screen;
        char error[512] = "";

        if (bailey_screen(scene->session, id->text, &screen, error, sizeof(error)) < 0)
                fail_msg("%s", error);
        return screen;
}

static bool shows(struct scene *scene, const struct id *id, const char *text) {
        struct bailey_screen screen = screen_of(scene, id);
        bool found = strstr(screen.text, text) != NULL;

        bailey_screen_free(&screen);
        return found;
}

static void wait_for_screen(struct scene *scene, const struct id *id, const char *text) {
        while (!shows(scene, id, text)) {
                if (status_of(scene, id) != BAILEY_STATUS_RUNNING)
                        fail_msg("it has ended without '%s'", text);
                wait_for(scene, id, BAILEY_EVENT_OUTPUT);
        }
}

static void assert_screen(struct scene *scene, const struct id *id, const char *text) {
        struct bailey_screen screen = screen_of(scene, id);

        assert_str_equal(str_from(screen.text, screen.length), str_z(text));
        bailey_screen_free(&screen);
}

/* ---- what it is ---- */

static void it_is_a_terminal(void **state) {
        struct bailey_screen screen;
        struct bailey_reading reading;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_terminal(&scene,
                            "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size && echo $TERM >&2; printf '\\e[31mred\\e[0m'", 0, 0);
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        assert_screen(&scene, &id, "24 80\nxterm-256color\nred\n");
        screen = screen_of(&scene, &id);
        assert_int_equal(screen.rows, 24);
        assert_int_equal(screen.columns, 80);
        assert_int_equal(screen.row, 3);
        assert_int_equal(screen.column, 4);
        bailey_screen_free(&screen);
        reading = read_all(&scene, &id);
        assert_text(&reading.out, "24 80\nxterm-256color\nred");
        assert_int_equal(reading.err.bytes, 0);
        bailey_reading_free(&reading);
        scene_end(&scene);
}

static void keys_are_typed(void **state) {
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_terminal(&scene, "stty raw -echo; echo up; head -c 16 | od -An -tx1 -w17; echo end", 0, 0);
        wait_for_screen(&scene, &id, "up");
        press(&scene, &id, "Up", "C-c", "a", "M-x", "F5", "\xc3\xa4", "Enter", "C-Space");
        wait_for_screen(&scene, &id, "end");
        assert_true(shows(&scene, &id, "1b 5b 41 03 61 1b 78 1b 5b 31 35 7e c3 a4 0d 00"));
        scene_end(&scene);
}

/* As the program has asked for. */
static void arrow_keys_follow_the_program(void **state) {
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_terminal(&scene, "stty raw -echo; printf '\\e[?1hup'; head -c 3 | od -An -c; echo end", 0, 0);
        wait_for_screen(&scene, &id, "up");
        press(&scene, &id, "Up");
        wait_for_screen(&scene, &id, "033   O   A");
        scene_end(&scene);
}

static void a_program_with_a_full_screen(void **state) {
        struct scene scene;
        struct bailey_screen screen;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_terminal(&scene,
                            "printf '\\e[?1049h\\e[2J\\e[3;5Hmenu\\e[?25l'; read -rsn1 key; printf '\\e[3;5H\\e[Kkey %s' "
                            "\"$key\"; read -rsn1 "
                            "key; printf '\\e[?1049l\\e[?25hleft\\n'; sleep 1000",
                            10, 20);
        wait_for_screen(&scene, &id, "menu");
        screen = screen_of(&scene, &id);
        assert_true(screen.alternate && !screen.cursor_shown);
        assert_str_equal(str_from(screen.text, screen.length), STR("\n\n    menu\n"));
        bailey_screen_free(&screen);
        press(&scene, &id, "q");
        wait_for_screen(&scene, &id, "key q");
        press(&scene, &id, "q");
        wait_for_screen(&scene, &id, "left");
        assert_screen(&scene, &id, "left\n");
        scene_end(&scene);
}

static void its_size_changes(void **state) {
        char error[512] = "";
        struct bailey_screen screen;
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_terminal(&scene, "trap 'stty size' WINCH; echo up; while :; do sleep 0.05; done", 5, 20);
        wait_for_screen(&scene, &id, "up");
        assert_int_equal(bailey_resize(scene.session, id.text, 33, 99, error, sizeof(error)), 0);
        wait_for_screen(&scene, &id, "33 99");
        screen = screen_of(&scene, &id);
        assert_int_equal(screen.rows, 33);
        assert_int_equal(screen.columns, 99);
        bailey_screen_free(&screen);
        for (int size = -1; size < 100000; size = size * 100 + 600)
                if (size < 1 || size > 500) {
                        assert_int_equal(bailey_resize(scene.session, id.text, 10, size, error, sizeof(error)), -1);
                        assert_non_null(strstr(error, "at most 200 of 500"));
                }
        scene_end(&scene);
}

/* ---- shells, signals ---- */

static void a_shell_has_jobs(void **state) {
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_terminal(&scene, "PS1='ready> ' exec bash --norc --noprofile -i", 0, 0);
        wait_for_screen(&scene, &id, "ready>");
        /* One process: a shell that is stopped while it starts another by vfork() cannot stop itself. */
        type(&scene, &id,
             "perl -e '$| = 1; $SIG{CONT} = sub { print \"on-\", 2 + 3, \"\\n\" }; print \"a-\", 1 + 1, \"\\n\"; "
             "sleep 1 while 1'\n");
        wait_for_screen(&scene, &id, "a-2");
        assert_int_equal(bailey_signal(scene.session, id.text, SIGTSTP, NULL, 0), 0);
        wait_for_screen(&scene, &id, "Stopped");
        type(&scene, &id, "clear; fg\n");
        type(&scene, &id, "");
        wait_for_screen(&scene, &id, "on-5"); /* in the foreground: a key that comes before that is for the shell */
        assert_int_equal(bailey_signal(scene.session, id.text, SIGWINCH, NULL, 0), 0);
        press(&scene, &id, "C-z");
        wait_for_screen(&scene, &id, "Stopped");
        type(&scene, &id, "kill %1; sh -c 'echo b-$((1+2)); exec sleep 1000'\n");
        wait_for_screen(&scene, &id, "b-3");
        assert_int_equal(bailey_signal(scene.session, id.text, SIGINT, NULL, 0), 0);
        type(&scene, &id, "echo c-$((2+2))\n");
        wait_for_screen(&scene, &id, "c-4\nready>"); /* an end that comes before that means nothing to the shell */
        type_input(&scene, &id, &(struct bailey_input){ .end = 1 });
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        scene_end(&scene);
}

static void what_a_shell_is_given_is_judged(void **state) {
        static const char *const word[] = { "r", "m", "Space", "-", "r", "f", "Space", "/", "Enter", NULL };
        struct scene scene;
        char error[512];
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_terminal(&scene, "PS1='ready> ' exec bash --norc --noprofile -i", 0, 0);
        wait_for_screen(&scene, &id, "ready>");
        assert_int_equal(try_type(&scene, &id, &(struct bailey_input){ .keys = word }, error), -1);
        assert_non_null(strstr(error, "recursive-delete-root"));
        assert_int_equal(try_type(&scene, &id, &(struct bailey_input){ .text = "rm -rf /\r", .length = 9 }, error), -1);
        type(&scene, &id, "rm -rf ");
        assert_int_equal(try_type(&scene, &id, &(struct bailey_input){ .keys = word + 7 }, error), -1);
        wait_for_screen(&scene, &id, "ready> rm -rf");
        press(&scene, &id, "C-c");
        wait_for_screen(&scene, &id, "\nready>");
        type(&scene, &id, "echo $((40+2))\n");
        wait_for_screen(&scene, &id, "42");
        scene_end(&scene);
}

/* ---- what it must not do ---- */

/* A terminal would answer to each of these: what it says would be read by the next program. */
static void nothing_answers_back(void **state) {
        struct scene scene;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_terminal(
                &scene,
                "stty -echo; printf "
                "'\\e[6n\\e[5n\\e[c\\e[>c\\e[=c\\eZ\\e[18t\\e[21t\\e[?1$p\\005\\eP$q\"p\\e\\\\\\e]10;?\\a\\e]52;c;?\\aup'; "
                "read -r line; printf '%s' \"$line\" | od -An -c; echo end",
                0, 0);
        wait_for_screen(&scene, &id, "up");
        type(&scene, &id, "typed\n");
        wait_for_screen(&scene, &id, "end");
        assert_true(shows(&scene, &id, "up   t   y   p   e   d\nend"));
        scene_end(&scene);
}

static void a_flood_delays_nobody(void **state) {
        static const char *const floods[] = { "yes \"$(printf '\\e[2J\\e[500X\\e[99L')\"", "cat /dev/urandom",
                                              "yes $'\\e[500Gx\\e[9999b\\e[1;1H\\eM'" };
        struct scene scene;
        struct id ids[3];

        (void)state;
        scene_begin(&scene, NULL);
        for (size_t i = 0; i < 3; i++)
                ids[i] = start_terminal(&scene, floods[i], 200, 500);
        for (int i = 0; i < 5; i++) {
                struct id one = start(&scene, "echo one");
                struct bailey_outcome outcome = take(&scene, &one);

                assert_str_equal(str_from(outcome.output, outcome.output_length), STR("one\n"));
                bailey_outcome_free(&outcome);
        }
        for (size_t i = 0; i < 3; i++) {
                struct bailey_screen screen = screen_of(&scene, &ids[i]);

                assert_true(screen.length <= (size_t)200 * 501 * 8);
                bailey_screen_free(&screen);
                assert_int_equal(status_of(&scene, &ids[i]), BAILEY_STATUS_RUNNING);
        }
        scene_end(&scene);
}

/* One that never reads: what waits is bounded, and the session is not. */
static void much_is_typed(void **state) {
        struct scene scene;
        char *text = malloc(1 << 20), error[512];
        int count = 0;
        struct id id;

        (void)state;
        assert_non_null(text);
        memset(text, 'x', 1 << 20);
        scene_begin(&scene, NULL);
        id = start_terminal(&scene, "stty -echo; echo up; sleep 1000", 0, 0);
        wait_for_screen(&scene, &id, "up");
        while (count < 10 && try_type(&scene, &id, &(struct bailey_input){ .text = text, .length = 1 << 20 }, error) == 0)
                count++;
        assert_in_range(count, 1, 2);
        assert_non_null(strstr(error, "too many"));
        free(text);
        scene_end(&scene);
}

static void secrets_are_not_shown(void **state) {
        struct scene scene;
        struct bailey_screen screen;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_terminal(&scene, "printf 'a\\n" SECRET "\\nb\\n'; read -r _", 10, 8);
        wait_for_screen(&scene, &id, "b");
        assert_false(shows(&scene, &id, "0123"));
        assert_true(shows(&scene, &id, "a\n[redacted MY_API_TOKEN]\n\n\nb\n"));
        type(&scene, &id, "\n");
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        screen = screen_of(&scene, &id);
        assert_null(strstr(screen.text, "0123"));
        assert_non_null(strstr(screen.text, "[redacted MY_API_TOKEN]"));
        bailey_screen_free(&screen);
        scene_end(&scene);
}

static void a_password_is_not_recorded(void **state) {
        struct scene scene;
        size_t length;
        char *text;
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_terminal(&scene, "read -r a; stty -echo; echo up; read -r b; stty echo; echo \"$b\" | tr a-z A-Z; read -r c",
                            0, 0);
        type(&scene, &id, "first\n");
        wait_for_screen(&scene, &id, "up");
        type(&scene, &id, "geheim\n");
        wait_for_screen(&scene, &id, "GEHEIM");
        type(&scene, &id, "third\n");
        wait_for(&scene, &id, BAILEY_EVENT_ENDED);
        assert_int_equal(bailey_audit_recent(scene.policy, 100, &text, &length), 0);
        assert_non_null(strstr(text, "\"command\":\"first\\n\""));
        assert_non_null(strstr(text, "\"command\":\"third\\n\""));
        assert_non_null(strstr(text, "(7 bytes that the terminal does not show)"));
        assert_null(strstr(text, "geheim"));
        bailey_free(text);
        scene_end(&scene);
}

static void what_is_wrong_is_told(void **state) {
        static const struct {
                const char *keys[3], *why;
        } wrong[] = {
                { { "Nothing" }, "no key 'Nothing'" },
                { { "" }, "no key ''" },
                { { "C-" }, "no key" },
                { { "C-\xc3\xa4" }, "no key" },
                { { "M-M-x" }, "no key" },
                { { "a", "xy" }, "no key 'xy'" },
                { { "\xff" }, "no key" },
                { { "\x1b" }, "no key" },
        };
        struct bailey_screen screen;
        struct scene scene;
        char error[512] = "";
        struct id id;

        (void)state;
        scene_begin(&scene, NULL);
        id = start_terminal(&scene, "cat", 0, 0);
        for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
                assert_int_equal(try_type(&scene, &id, &(struct bailey_input){ .keys = wrong[i].keys }, error), -1);
                if (!strstr(error, wrong[i].why))
                        fail_msg("not '%s': %s", wrong[i].why, error);
        }
        id = start_with(&scene, &(struct bailey_run_options){ .command = "cat", .background = 1, .input = 1 });
        assert_int_equal(try_type(&scene, &id, &(struct bailey_input){ .keys = (const char *const[]){ "a", NULL } }, error),
                         -1);
        assert_non_null(strstr(error, "pty"));
        assert_int_equal(bailey_screen(scene.session, id.text, &screen, error, sizeof(error)), -1);
        assert_non_null(strstr(error, "pty"));
        assert_int_equal(bailey_resize(scene.session, id.text, 10, 10, error, sizeof(error)), -1);
        assert_non_null(strstr(error, "pty"));
        assert_int_equal(bailey_screen(scene.session, "nobody", &screen, error, sizeof(error)), -1);
        assert_int_equal(
                bailey_start(scene.session,
                             &(struct bailey_run_options){
                                     .command = "cat", .background = 1, .terminal = BAILEY_TERMINAL_REQUIRED, .rows = 201 },
                             id.text, error, sizeof(error)),
                -1);
        assert_non_null(strstr(error, "at most 200 of 500"));
        scene_end(&scene);
}

int main(int argc, char **argv) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(it_is_a_terminal),
                cmocka_unit_test(keys_are_typed),
                cmocka_unit_test(arrow_keys_follow_the_program),
                cmocka_unit_test(a_program_with_a_full_screen),
                cmocka_unit_test(its_size_changes),
                cmocka_unit_test(a_shell_has_jobs),
                cmocka_unit_test(what_a_shell_is_given_is_judged),
                cmocka_unit_test(nothing_answers_back),
                cmocka_unit_test(a_flood_delays_nobody),
                cmocka_unit_test(much_is_typed),
                cmocka_unit_test(secrets_are_not_shown),
                cmocka_unit_test(a_password_is_not_recorded),
                cmocka_unit_test(what_is_wrong_is_told),
        };

        be_inside(argc, argv);
        return cmocka_run_group_tests(tests, NULL, NULL);
}
