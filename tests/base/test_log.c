#include "tests/test.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"

static int keeper = -1, reader = -1; /* the real stderr; what is said instead */

static int catch_stderr(void **state) {
        int fds[2];

        (void)state;
        if (fd_dup(STDERR_FILENO, &keeper, NULL) < 0 || fd_pipe(fds, NULL) < 0)
                return -1;
        reader = fds[0];
        if (dup2(fds[1], STDERR_FILENO) < 0)
                return -1;
        fd_close(fds[1]);
        return 0;
}

static int release_stderr(void **state) {
        (void)state;
        dup2(keeper, STDERR_FILENO);
        fd_close(keeper);
        fd_close(reader);
        return 0;
}

/* What arrived: one line, in one write, as a pipe keeps short writes together only then. */
static struct str said(void) {
        static char text[8192];
        ssize_t got = read(reader, text, sizeof(text));

        assert_true(got > 0);
        return str_from(text, (size_t)got);
}

static void a_line(void **state) {
        (void)state;
        errno = ERANGE;
        log_line("%s: %d", "x", 7);
        assert_str_equal(said(), STR("bailey: x: 7\n"));
        assert_int_equal(errno, ERANGE);
        log_line("%s", "");
        assert_str_equal(said(), STR("bailey: \n"));
}

static void control_characters_are_escaped(void **state) {
        (void)state;
        log_line("a\nb\tc\rd\x1b[31m\x7f");
        assert_str_equal(said(), STR("bailey: a\\nb\\tc\\x0dd\\x1b[31m\\x7f\n"));
        log_line("\xc2\x9b!\xe2\x80\xae\xc2\xa1\xe2\x82\xac"); /* two that act unseen; two harmless characters */
        assert_str_equal(said(), STR("bailey: \\u009b!\\u202e\xc2\xa1\xe2\x82\xac\n"));
        log_line("\xff\xe2\x82");
        assert_str_equal(said(), STR("bailey: \\xff\\xe2\\x82\n"));
}

static void long_lines_are_cut(void **state) {
        char text[5001];
        struct str line;

        (void)state;
        memset(text, '\x01', sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        log_line("%s", text);
        line = said();
        assert_true(line.len > 4000 && line.len <= 4096);
        assert_true(str_ends(line, STR("\\x01...\n")));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_line),
                cmocka_unit_test(control_characters_are_escaped),
                cmocka_unit_test(long_lines_are_cut),
        };

        return cmocka_run_group_tests(tests, catch_stderr, release_stderr);
}
