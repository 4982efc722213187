#include "tests/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "run/capture.h"
#include "tests/job/capture_model.h"

enum { STREAM_MAX = 1 << 20 };

/* ---- asking ---- */

static void compare(const struct capture *capture, struct str stream, size_t limit) {
        struct captured captured = { 0 };
        struct expected e;
        struct err err = { 0 };
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        expect(&e, stream, limit);
        assert_int_equal(capture_finish(capture, &arena, &captured, &err), 0);
        assert_int_equal(captured.total, stream.len);
        assert_int_equal(captured.elided, e.elided);
        assert_int_equal(captured.truncated, e.truncated);
        assert_int_equal(captured.invalid_utf8, e.invalid);
        assert_str_equal(captured.text, buf_str(&e.text));
        assert_int_equal(captured.text.ptr[captured.text.len], 0);
        buf_free(&e.text);
}

static void check_whole(struct str stream, size_t limit) {
        struct capture capture;

        assert_int_equal(capture_init(&capture, limit, NULL), 0);
        capture_add(&capture, stream);
        compare(&capture, stream, limit);
        capture_free(&capture);
}

static void check_chunks(struct str stream, size_t limit, size_t chunk) {
        struct capture capture;

        assert_int_equal(capture_init(&capture, limit, NULL), 0);
        for (struct str rest = stream, piece; rest.len > 0; rest = str_skip(rest, piece.len)) {
                piece = str_take(rest, any(chunk) + 1);
                capture_add(&capture, piece);
        }
        compare(&capture, stream, limit);
        capture_free(&capture);
}

/* Through a pipe, written to and read from in turns by one process. */
static void check_pipe(struct str stream, size_t limit, size_t chunk) {
        struct capture capture;
        struct str rest = stream;
        ssize_t count;
        int fds[2];
        FD_AUTO reader = -1;
        FD_AUTO writer = -1;

        assert_int_equal(capture_init(&capture, limit, NULL), 0);
        assert_int_equal(capture_pipe(fds, NULL), 0);
        reader = fds[0];
        writer = fds[1];
        assert_int_equal(capture_read(&capture, reader), -1);
        assert_int_equal(errno, EAGAIN);
        while (rest.len > 0) {
                count = write(writer, rest.ptr, str_take(rest, 1 + any(chunk < 4096 ? chunk : 4096)).len);
                assert_true(count > 0);
                rest = str_skip(rest, (size_t)count);
                if (any(8) == 0)
                        assert_true(capture_read(&capture, reader) > 0);
        }
        fd_close(TAKE_FD(writer));
        while ((count = capture_read(&capture, reader)) > 0)
                ;
        assert_int_equal(count, 0);
        compare(&capture, stream, limit);
        capture_free(&capture);
}

/* ---- tests ---- */

static char bytes[STREAM_MAX];

static void short_streams_stay(void **state) {
        static const struct str rows[] = {
                STR(""), STR("hi\n"), STR("no newline"), STR("a\0b"), STR("\xff"), STR("\xe2\x82\xac"), STR("\xe2\x82"),
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                check_whole(rows[i], 1024);
                check_pipe(rows[i], 1024, 1);
        }
}

static void around_the_limit(void **state) {
        (void)state;
        for (size_t limit = 1024; limit < 1027; limit++)
                for (size_t len = limit - 3; len < limit + 6; len++) {
                        memset(bytes, 'x', len);
                        check_whole(str_from(bytes, len), limit);
                        memset(bytes, '\n', len);
                        check_whole(str_from(bytes, len), limit);
                }
}

static void what_it_says(void **state) {
        struct capture capture;
        struct captured captured;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(capture_init(&capture, 1024, NULL), 0);
        for (int i = 0; i < 1000; i++)
                capture_add(&capture, STR("1234567\n"));
        assert_int_equal(capture_finish(&capture, &arena, &captured, NULL), 0);
        assert_int_equal(captured.elided, 8000 - 1024);
        assert_true(str_starts(str_skip(captured.text, 512 - 8),
                               STR("1234567\n... (output truncated, 6976 bytes elided)\n1234567\n")));
        capture_free(&capture);
}

/* A character of each length, at each place relative to both cuts; and a newline near them, at them, and not near. */
static void cuts(void **state) {
        static const struct str units[] = { STR("\xc3\xa9"), STR("\xe2\x82\xac"), STR("\xf0\x9f\x98\x80") };

        (void)state;
        for (size_t unit = 0; unit < 3; unit++)
                for (size_t shift = 0; shift < 6; shift++)
                        for (size_t len = 3000; len < 3008; len++) {
                                for (size_t i = 0; i < len; i++)
                                        bytes[i] = i < shift ? 'x' : units[unit].ptr[(i - shift) % units[unit].len];
                                check_whole(str_from(bytes, len), 1025);
                        }
        for (size_t at = 0; at < 3000; at++) {
                memset(bytes, 'x', 3000);
                bytes[at] = '\n';
                check_whole(str_from(bytes, 3000), 1024);
        }
}

static void random_streams(void **state) {
        (void)state;
        for (int i = 0; i < 300; i++) {
                struct str stream = make_stream(bytes, any(i % 10 ? 6000 : STREAM_MAX));
                size_t limit = 1024 + any(i % 3 ? 4000 : 700000), chunk = 1 + any(i % 2 ? 10 + stream.len / 50 : STREAM_MAX);

                check_whole(stream, limit);
                check_chunks(stream, limit, chunk);
                check_pipe(stream, limit, chunk);
        }
}

static void a_look_before_the_end(void **state) {
        struct capture capture;
        struct str stream = make_stream(bytes, 400000);

        (void)state;
        assert_int_equal(capture_init(&capture, 2000, NULL), 0);
        for (size_t at = 0; at < stream.len; at += 10000) {
                capture_add(&capture, str_from(stream.ptr + at, 10000));
                compare(&capture, str_take(stream, at + 10000), 2000);
        }
        capture_free(&capture);
}

static void refusals(void **state) {
        struct capture capture = { .total = 7 };
        struct captured captured = { .total = 7 };
        struct err err;
        ARENA_AUTO arena;

        (void)state;
        assert_int_equal(capture_init(&capture, 1023, &err), -1);
        assert_int_equal(err.code, ERR_INVALID);
        assert_int_equal(capture_init(&capture, SIZE_MAX, &err), -1);
        assert_int_equal(err.code, ERR_MEMORY);
        assert_int_equal(capture.total, 7);

        arena_init(&arena, 4096);
        assert_int_equal(capture_init(&capture, 100000, NULL), 0);
        capture_add(&capture, make_stream(bytes, 100000));
        assert_int_equal(capture_finish(&capture, &arena, &captured, &err), -1);
        assert_int_equal(err.code, ERR_MEMORY);
        assert_int_equal(captured.total, 7);
        assert_int_equal(capture_read(&capture, -1), -1);
        assert_int_equal(errno, EBADF);
        capture_free(&capture);
        capture_free(&capture);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(short_streams_stay), cmocka_unit_test(around_the_limit),
                cmocka_unit_test(what_it_says),       cmocka_unit_test(cuts),
                cmocka_unit_test(random_streams),     cmocka_unit_test(a_look_before_the_end),
                cmocka_unit_test(refusals),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
