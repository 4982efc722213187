/*
 * Command lines of Windows, taken apart by the rules that its documents tell. tests/windows has Windows' own functions do it.
 */
#include "launch/command_line.h"
#include "tests/test.h"

enum { ARGUMENTS_MAX = 64, ARGUMENT_MAX = 256 };

static char taken[ARGUMENTS_MAX][ARGUMENT_MAX];

/* 2n backslashes and a quote: n of them, and the quote opens or closes; 2n + 1: n, and a quote; before anything else: as many.
 */
static const char *take_argument(const char *line, char *ret) {
        bool quoted = false;

        for (; *line && (quoted || *line != ' '); line++) {
                size_t backslashes = strspn(line, "\\");
                bool quote = line[backslashes] == '"';

                for (size_t i = 0; i < (quote ? backslashes / 2 : backslashes); i++)
                        *ret++ = '\\';
                line += backslashes;
                if (quote && backslashes % 2) {
                        *ret++ = '"';
                } else if (quote) {
                        quoted = !quoted;
                } else if (*line && (quoted || *line != ' ')) {
                        *ret++ = *line;
                } else {
                        break;
                }
        }
        *ret = 0;
        return line;
}

/* The first has rules of its own: up to the next quote, whatever is before it. */
static size_t take_apart(const char *line) {
        size_t count = 1, len = strcspn(line + 1, "\"");

        assert_int_equal(line[0], '"');
        memcpy(taken[0], line + 1, len);
        taken[0][len] = 0;
        line += len + 2;
        while (*line) {
                line += strspn(line, " ");
                line = take_argument(line, taken[count++]);
        }
        return count;
}

static void there_and_back(const char *const *argv) {
        struct err err;
        size_t count = 0;
        BUF_AUTO line;

        buf_init(&line, 1 << 16);
        assert_int_equal(command_line(argv, &line, &err), 0);
        buf_char(&line, 0);
        while (argv[count])
                count++;
        assert_int_equal(take_apart(line.ptr), count);
        for (size_t i = 0; i < count; i++)
                assert_string_equal(taken[i], argv[i]);
}

static void the_text_is_this(void **state) {
        static const char *const argv[] = { "C:\\Program Files\\x.exe", "a b", "", "c:\\d\\", "say \"hi\\\"", NULL };
        struct err err;
        BUF_AUTO line;

        (void)state;
        buf_init(&line, 1 << 16);
        assert_int_equal(command_line(argv, &line, &err), 0);
        assert_true(str_is(buf_str(&line), "\"C:\\Program Files\\x.exe\" \"a b\" \"\" \"c:\\d\\\\\" \"say \\\"hi\\\\\\\"\""));
}

static void every_short_text_comes_back(void **state) {
        static const char letters[] = "\\\" a";
        char text[7];

        (void)state;
        for (int number = 0; number < 15625; number++) {
                const char *const argv[] = { "x\\", text, text, NULL };
                size_t len = 0;

                for (int rest = number; rest; rest /= 5)
                        if (rest % 5)
                                text[len++] = letters[rest % 5 - 1];
                text[len] = 0;
                there_and_back(argv);
        }
}

static void a_program_with_a_quote_is_refused(void **state) {
        static const char *const argv[] = { "x\" y", NULL };
        struct err err;
        BUF_AUTO line;

        (void)state;
        buf_init(&line, 1 << 16);
        assert_int_equal(command_line(argv, &line, &err), -1);
        assert_int_equal(err.code, ERR_INVALID);
        assert_string_equal(err.msg, "x\" y: the name of a program with a quote in it");
}

static void a_long_line_is_refused(void **state) {
        static char text[40000];
        const char *const argv[] = { "x", text, NULL };
        struct err err;

        (void)state;
        memset(text, 'a', sizeof(text) - 1);
        for (size_t max = 1 << 10; max <= 1 << 16; max <<= 6) {
                BUF_AUTO line;

                buf_init(&line, max);
                assert_int_equal(command_line(argv, &line, &err), -1);
                assert_int_equal(err.code, ERR_TOO_COMPLEX);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_text_is_this),
                cmocka_unit_test(every_short_text_comes_back),
                cmocka_unit_test(a_program_with_a_quote_is_refused),
                cmocka_unit_test(a_long_line_is_refused),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
