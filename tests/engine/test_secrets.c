/*
 * What is looked for in output, while the files that say so change.
 */
#include "tests/test.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "engine/pipeline/secrets.h"
#include "run/stream.h"

enum { CHANGES = 100, TOKENS = 200 };

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak)); /* NOLINT(bugprone-reserved-identifier) */

static size_t allocated(void) {
        return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : mallinfo2().uordblks;
}

static char path[] = "/tmp/test-secrets-XXXXXX";

static int make_file(void **state) {
        int fd = mkstemp(path);

        (void)state;
        fd_close(fd);
        return fd < 0 ? -1 : 0;
}

static int remove_file(void **state) {
        (void)state;
        return unlink(path);
}

static void write_file(struct str content) {
        FD_AUTO fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

        assert_true(fd >= 0);
        assert_int_equal(fd_write_all(fd, content, NULL), 0);
}

static void write_tokens(int change) {
        BUF_AUTO text;

        buf_init(&text, SIZE_MAX);
        for (int i = 0; i < TOKENS; i++)
                buf_format(&text, "%06dabcdefghijklmnopqrstuvwxyz%06d\n", change, i);
        write_file(buf_str(&text));
}

/* As if some time had passed. */
static const struct redactor *look(struct secrets *secrets) {
        static const char *const environment[] = { NULL };
        struct host_path mask = { .path = path, .secret = true };
        struct host host = { .masks = { .items = &mask, .count = 1 } };
        const struct redactor *redactor = NULL;
        struct policy policy = {};

        secrets->collected = secrets->collected ? 1 : 0;
        assert_int_equal(secrets_redactor(secrets, &policy, &host, environment, &redactor, NULL), 0);
        return redactor;
}

static void print(struct stream *stream, const char *text) {
        int ends[2];

        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_int_equal(fd_write_all(ends[1], str_z(text), NULL), 0);
        assert_int_equal(stream_read(stream, ends[0]), strlen(text));
        close(ends[0]);
        close(ends[1]);
}

/* A redactor takes much more than the file: those that nobody uses go. */
static void files_that_change(void **state) {
        struct secrets secrets;
        size_t one, before;

        (void)state;
        secrets_init(&secrets);
        before = allocated();
        write_tokens(0);
        assert_non_null(look(&secrets));
        one = allocated() - before;
        assert_true(one > 0);
        for (int i = 1; i < CHANGES; i++) {
                write_tokens(i);
                look(&secrets);
        }
        assert_true(allocated() - before < 2 * one);
        secrets_free(&secrets);
        assert_true(allocated() <= before);
}

/* The same with a command under way, which does not know what was written after it began. */
static void a_command_under_way(void **state) {
        struct secrets secrets;
        struct stream stream;
        struct captured captured;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        secrets_init(&secrets);
        write_file(STR("password = first-one\n"));
        assert_int_equal(stream_init(&stream, 64 << 10, TERMINAL_TEXT, look(&secrets), NULL), 0);
        print(&stream, "first-");
        write_file(STR("password = second-one\n"));
        assert_ptr_not_equal(look(&secrets), stream.redactor);
        write_file(STR(""));
        assert_null(look(&secrets));
        secrets_free(&secrets);
        print(&stream, "one second-one");
        stream_end(&stream);
        stream_settle(&stream);
        assert_null(stream.redactor);
        assert_int_equal(stream_finish(&stream, &arena, &captured, NULL), 0);
        assert_non_null(strstr(captured.text.ptr, "] second-one"));
        assert_null(strstr(captured.text.ptr, "first-"));
        stream_free(&stream);
}

/* More than it is looked for: that is told, once for each list. */
static void files_that_are_too_long(void **state) {
        const struct redactor *first, *second;
        struct secrets secrets;
        BUF_AUTO text;

        (void)state;
        buf_init(&text, SIZE_MAX);
        secrets_init(&secrets);
        write_file(STR("password = first-one\n"));
        assert_null(secrets_warning(&secrets, look(&secrets)));
        while (text.len <= REDACT_FILE_MAX)
                buf_char(&text, '\n');
        write_file(buf_str(&text)); /* with nothing in the part that is read */
        first = redactor_use(look(&secrets));
        assert_non_null(first);
        assert_non_null(strstr(redactor_missing(first), path));
        assert_ptr_equal(secrets_warning(&secrets, first), redactor_missing(first));
        assert_null(secrets_warning(&secrets, look(&secrets)));
        memcpy(text.ptr, "password = other-one", strlen("password = other-one"));
        write_file(buf_str(&text));
        second = look(&secrets);
        assert_ptr_not_equal(first, second);
        assert_non_null(secrets_warning(&secrets, second));
        assert_null(secrets_warning(&secrets, second));
        redactor_leave(first);
        write_file(STR("password = first-one\n"));
        assert_null(secrets_warning(&secrets, look(&secrets)));
        secrets_free(&secrets);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(files_that_change),
                cmocka_unit_test(a_command_under_way),
                cmocka_unit_test(files_that_are_too_long),
        };

        return cmocka_run_group_tests_name("secrets", tests, make_file, remove_file);
}
