#include "base/lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "tests/test.h"

enum { SIZE = 8 };

static int file_of(struct str text) {
        int fd = memfd_create("lines", MFD_CLOEXEC);

        assert_true(fd >= 0);
        assert_int_equal(write(fd, text.ptr, text.len), text.len);
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        return fd;
}

/* All lines, a bar behind each; `!` is one that is too long. What is left at the end comes behind a `+`. */
static void told(struct lines *lines, struct buf *out) {
        struct str line;
        int kind;

        while ((kind = lines_next(lines, &line, NULL)) > LINE_END) {
                if (kind == LINE_TOO_LONG)
                        assert_int_equal(line.len, 0);
                buf_append(out, kind == LINE_TOO_LONG ? STR("!") : line);
                buf_char(out, '|');
        }
        assert_int_equal(kind, LINE_END);
        assert_int_equal(lines_next(lines, &line, NULL), LINE_END);
        line = lines_rest(lines);
        buf_char(out, '+');
        buf_append(out, line);
        if (lines->skipping)
                buf_char(out, '!');
        buf_char(out, 0);
}

static void every_line(void **state) {
        static const struct {
                const char *text, *closed, *open;
        } rows[] = {
                { "", "+", "+" },
                { "\n", "|+", "|+" },
                { "a", "+a", "a|+" },
                { "a\nb", "a|+b", "a|b|+" },
                { "a\n\nb\n", "a||b|+", "a||b|+" },
                { "1234567\n", "1234567|+", "1234567|+" }, /* with its newline as large as the memory */
                { "1234567", "+1234567", "1234567|+" },
                { "12345678\n", "!|+", "!|+" },
                { "12345678", "+!", "!|+" },
                { "1\n12345678\n2\n", "1|!|2|+", "1|!|2|+" },
                { "123456789012345678901234\n1234567\n12345678901234567", "!|1234567|+7!", "!|1234567|!|+" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                for (int way = 0; way < 12; way++) {
                        char memory[SIZE];
                        BUF_AUTO said;
                        struct lines lines = {
                                .fd = file_of(str_z(rows[i].text)),
                                .memory = memory,
                                .size = sizeof(memory),
                                .chunk = (size_t)way / 4, /* any, a byte, two bytes */
                                .limit = 1 << 20,
                                .stream = way & 1,
                                .open_end = way & 2,
                        };

                        buf_init(&said, 128);
                        told(&lines, &said);
                        close(lines.fd);
                        if (lines.open_end)
                                assert_string_equal(said.ptr, rows[i].open);
                        else if (!lines.skipping) /* or how much of it is left depends on how it was read */
                                assert_string_equal(said.ptr, rows[i].closed);
                        else
                                assert_int_equal(said.ptr[said.len - 2], '!');
                }
}

/* What comes later is not seen, and then it is. */
static void up_to_a_limit(void **state) {
        char memory[SIZE];
        struct lines lines = { .fd = file_of(STR("a\nb\nc\n")), .memory = memory, .size = sizeof(memory), .limit = 3 };
        struct str line;

        (void)state;
        assert_int_equal(lines_next(&lines, &line, NULL), LINE_WHOLE);
        assert_int_equal(lines_next(&lines, &line, NULL), LINE_END);
        assert_str_equal(lines_rest(&lines), STR("b"));
        lines.limit = 100;
        assert_int_equal(lines_next(&lines, &line, NULL), LINE_WHOLE);
        assert_str_equal(line, STR("b"));
        assert_int_equal(lines_next(&lines, &line, NULL), LINE_WHOLE);
        assert_int_equal(lines.number, 3);
        assert_int_equal(lines_next(&lines, &line, NULL), LINE_END);
        close(lines.fd);
}

static void not_readable(void **state) {
        char memory[SIZE];
        struct lines lines = { .fd = -1, .memory = memory, .size = sizeof(memory), .limit = 1 };
        struct str line;
        struct err err;

        (void)state;
        assert_int_equal(lines_next(&lines, &line, &err), -1);
        assert_non_null(strstr(err.msg, "cannot read"));
}

/* Somebody writes a line in parts: what is not whole yet is waited for elsewhere. */
static void as_it_comes(void **state) {
        char memory[SIZE];
        bool readable = true;
        struct lines lines = {
                .memory = memory, .size = SIZE, .limit = UINT64_MAX, .stream = true, .open_end = true, .readable = &readable
        };
        struct str line;
        int fds[2];

        (void)state;
        assert_int_equal(pipe(fds), 0);
        lines.fd = fds[0];
        assert_int_equal(write(fds[1], "a\nb", 3), 3);
        assert_int_equal(lines_next(&lines, &line, NULL), LINE_WHOLE);
        assert_true(str_is(line, "a"));
        assert_false(readable);
        assert_int_equal(lines_next(&lines, &line, NULL), LINE_LATER);
        assert_int_equal(write(fds[1], "c\n", 2), 2);
        assert_int_equal(lines_next(&lines, &line, NULL), LINE_LATER);
        readable = true;
        assert_int_equal(lines_next(&lines, &line, NULL), LINE_WHOLE);
        assert_true(str_is(line, "bc"));
        close(fds[1]);
        assert_int_equal(lines_next(&lines, &line, NULL), LINE_LATER);
        readable = true;
        assert_int_equal(lines_next(&lines, &line, NULL), LINE_END);
        close(fds[0]);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_line),
                cmocka_unit_test(as_it_comes),
                cmocka_unit_test(up_to_a_limit),
                cmocka_unit_test(not_readable),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
