#include <stdlib.h>
#include <time.h>

#include "policy/pattern.h"
#include "tests/test.h"

static struct arena arena;

static struct user_pattern compile(struct str regex) {
        struct user_pattern pattern = { .regex = regex };
        struct err err;

        if (user_pattern_compile(&pattern, &arena, &err) < 0)
                fail_msg("%s: %s", regex.ptr, err.msg);
        return pattern;
}

static const struct {
        struct str regex, subject;
        enum pattern_result result;
} rows[] = {
        { STR("rm\\s+-rf"), STR("sudo rm  -rf x"), PATTERN_YES },
        { STR("rm\\s+-rf"), STR("rm -r f"), PATTERN_NO },
        { STR("^rm$"), STR("rm"), PATTERN_YES },
        { STR("^rm"), STR("xrm"), PATTERN_NO },
        { STR("^rm"), STR("x\nrm"), PATTERN_NO },
        { STR("(?m)^rm"), STR("x\nrm"), PATTERN_YES },
        { STR("a.b"), STR("a\nb"), PATTERN_NO },
        { STR("(?s)a.b"), STR("a\nb"), PATTERN_YES },
        { STR("(?i)CURL"), STR("curl x"), PATTERN_YES },
        { STR("a"), STR(""), PATTERN_NO },
        { STR(""), STR(""), PATTERN_YES },
        { STR("$"), STR(""), PATTERN_YES },
        { STR("a\\x00b"), STR("xa\0b"), PATTERN_YES },
        { STR("b$"), STR("a\0b"), PATTERN_YES },
        { STR("rm.+-rf"), STR("rm \xff\xfe -rf"), PATTERN_YES }, /* bytes, not characters */
        { STR("\xc3\xa9"), STR("caf\xc3\xa9"), PATTERN_YES },
        { STR("(?<=ab)c"), STR("abc"), PATTERN_YES },
        { STR("\\bfoo\\b"), STR("a foo b"), PATTERN_YES },
        { STR("(\\w+) \\1"), STR("the the"), PATTERN_YES },
};

static void matches(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                struct user_pattern pattern = compile(rows[i].regex);

                if (user_pattern_matches(&pattern, rows[i].subject) != rows[i].result)
                        fail_msg("%s on %s", rows[i].regex.ptr, rows[i].subject.ptr);
        }
        assert_int_equal(user_pattern_matches(&(struct user_pattern){ 0 }, STR("x")), PATTERN_LIMIT); /* never compiled */
}

/* Wherever it stands, also across the border of a group of places. */
static void matches_everywhere(void **state) {
        struct user_pattern pattern = compile(STR("needle+"));
        const struct str needle = STR("needle");
        char text[400];

        (void)state;
        for (size_t at = 0; at + needle.len <= sizeof(text); at++) {
                memset(text, '.', sizeof(text));
                memcpy(text + at, needle.ptr, needle.len);
                assert_int_equal(user_pattern_matches(&pattern, str_from(text, sizeof(text))), PATTERN_YES);
        }
}

static void errors(void **state) {
        static const struct {
                const char *regex, *message;
        } bad[] = {
                { "a(b", "missing closing parenthesis, at byte 4 of the expression" },
                { "*a", "quantifier does not follow a repeatable item, at byte 1 of the expression" },
                { "[z-a]", "range out of order in character class, at byte 4 of the expression" },
                { "(*UTF)a", "using UTF is disabled by the application, at byte 7 of the expression" },
        };
        char many[PATTERN_REGEX_MAX + 1];
        struct user_pattern pattern = { .regex = { many, sizeof(many) } };
        struct err err;

        (void)state;
        memset(many, 'a', sizeof(many));
        assert_int_equal(user_pattern_compile(&pattern, &arena, &err), -1);
        assert_int_equal(err.code, ERR_TOO_COMPLEX);
        for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
                pattern.regex = str_z(bad[i].regex);
                assert_int_equal(user_pattern_compile(&pattern, &arena, &err), -1);
                assert_string_equal(err.msg, bad[i].message);
        }
}

/* What takes too long counts as a match, soon: exponential, quadratic, deep, and much of it. */
static void limits(void **state) {
        static const struct str evil[] = { STR("(a+)+$"),       STR("(a|aa)+$"),         STR("(?:a?){40}a{40}$"),
                                           STR("a*a*a*a*b\\d"), STR("^(\\w+\\s?)*\\d$"), STR("(?=(a+))a*b\\1\\d"),
                                           STR("(.)(?R)?\\d"),  STR("[ab]*[cd]") };
        const size_t length = 65536;
        char *text = malloc(length);

        (void)state;
        assert_non_null(text);
        memset(text, 'a', length);
        text[length - 1] = '!';
        for (size_t i = 0; i < sizeof(evil) / sizeof(*evil); i++) {
                struct user_pattern pattern = compile(evil[i]);
                clock_t before = clock(); /* processor time, as that is what is limited */

                assert_int_not_equal(user_pattern_matches(&pattern, str_from(text, length)), PATTERN_YES);
                if (clock() - before > 10 * CLOCKS_PER_SEC)
                        fail_msg("%s took %ld ms", evil[i].ptr, (long)((clock() - before) * 1000 / CLOCKS_PER_SEC));
        }
        free(text);
}

/* The same answer every time, however long it takes: what is counted is steps. */
static void long_commands_are_read_to_the_end(void **state) {
        struct user_pattern far = compile(STR("curl\\b.*\\|\\s*sh\\b")), none = compile(STR("push\\s.*--force\\b"));
        struct user_pattern repeated = compile(STR("(?:\\w+\\s?)+;\\d"));
        const size_t length = 8192;
        char *text = malloc(length);

        (void)state;
        assert_non_null(text);
        for (size_t i = 0; i < length; i++)
                text[i] = "git push, curl, words; "[i % 23];
        assert_int_equal(user_pattern_matches(&none, str_from(text, 700)), PATTERN_NO);
        assert_int_equal(user_pattern_matches(&repeated, str_from(text, 700)), PATTERN_NO);
        memset(text, 'x', length);
        memcpy(text, "curl ", 5);
        memcpy(text + length - 5, "| sh ", 5);
        assert_int_equal(user_pattern_matches(&far, str_from(text, length)), PATTERN_YES);
        text[length - 5] = 'x'; /* all of the line is looked at, and that is not too much */
        assert_int_equal(user_pattern_matches(&far, str_from(text, length)), PATTERN_NO);
        free(text);
}

static void the_expression_lives_in_the_arena(void **state) {
        size_t before = arena.used;

        (void)state;
        compile(STR("a+b"));
        assert_true(arena.used > before);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(matches),
                cmocka_unit_test(matches_everywhere),
                cmocka_unit_test(errors),
                cmocka_unit_test(limits),
                cmocka_unit_test(long_commands_are_read_to_the_end),
                cmocka_unit_test(the_expression_lives_in_the_arena),
        };
        int failed;

        arena_init(&arena, 0);
        failed = cmocka_run_group_tests(tests, NULL, NULL);
        arena_free(&arena);
        return failed;
}
