#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/fd.h"

enum { MANY = 1 << 20 }; /* more than any pipe holds */

static int is_open(int fd) {
        return fcntl(fd, F_GETFD) >= 0;
}

static void pipe_is_close_on_exec(void **state) {
        int fds[2];
        char byte = 0;

        (void)state;
        assert_int_equal(fd_pipe(fds, NULL), 0);
        assert_int_equal(fcntl(fds[0], F_GETFD), FD_CLOEXEC);
        assert_int_equal(fcntl(fds[1], F_GETFD), FD_CLOEXEC);
        assert_int_equal(write(fds[1], "x", 1), 1);
        assert_int_equal(read(fds[0], &byte, 1), 1);
        assert_int_equal(byte, 'x');
        fd_close(fds[0]);
        fd_close(fds[1]);
        assert_false(is_open(fds[0]));
}

static void dup_is_close_on_exec(void **state) {
        int copy = 77;
        struct err err = { 0 };

        (void)state;
        assert_int_equal(fd_dup(-1, &copy, &err), -1);
        assert_int_equal(err.sys, EBADF);
        assert_int_equal(copy, 77);
        assert_int_equal(fd_dup(STDIN_FILENO, &copy, &err), 0);
        assert_int_not_equal(copy, STDIN_FILENO);
        assert_int_equal(fcntl(copy, F_GETFD), FD_CLOEXEC);
        fd_close(copy);
}

static void close_leaves_errno(void **state) {
        (void)state;
        errno = ERANGE;
        fd_close(-1);
        fd_close(1 << 20); /* not open */
        assert_int_equal(errno, ERANGE);
}

static void ownership(void **state) {
        int fds[2], taken;

        (void)state;
        assert_int_equal(fd_pipe(fds, NULL), 0);
        {
                FD_AUTO mine = fds[0], given = fds[1];

                taken = TAKE_FD(given);
                assert_int_equal(given, -1);
                assert_true(is_open(mine));
        }
        assert_false(is_open(fds[0]));
        assert_true(is_open(taken));
        fd_close(taken);
}

static void *write_many(void *arg) {
        static char bytes[MANY];
        int fd = *(int *)arg;

        for (size_t i = 0; i < MANY; i++)
                bytes[i] = (char)(i * 7 + i / 251);
        return fd_write_all(fd, str_from(bytes, MANY), NULL) < 0 ? arg : NULL;
}

/* A full pipe makes writes partial; a non-blocking one makes both ends say EAGAIN. */
static void everything_goes_through(int flags) {
        int fds[2];
        pthread_t writer;
        void *result;
        BUF_AUTO buf;

        buf_init(&buf, MANY);
        assert_int_equal(fd_pipe(fds, NULL), 0);
        assert_int_equal(fcntl(fds[0], F_SETFL, flags), 0);
        assert_int_equal(fcntl(fds[1], F_SETFL, flags), 0);
        assert_int_equal(pthread_create(&writer, NULL, write_many, &fds[1]), 0);
        while (buf.len < MANY) { /* the writer's end stays open: read_all() would wait for its close */
                char chunk[1000];
                ssize_t got = read(fds[0], chunk, sizeof(chunk));

                if (got > 0)
                        buf_append(&buf, str_from(chunk, (size_t)got));
        }
        assert_int_equal(pthread_join(writer, &result), 0);
        assert_null(result);
        for (size_t i = 0; i < MANY; i++)
                assert_int_equal(buf.ptr[i], (char)(i * 7 + i / 251));
        fd_close(fds[0]);
        fd_close(fds[1]);
}

static void partial_writes(void **state) {
        (void)state;
        everything_goes_through(0);
}

static void non_blocking_writes(void **state) {
        (void)state;
        everything_goes_through(O_NONBLOCK);
}

static void write_to_nobody(void **state) {
        int fds[2];
        struct err err = { 0 };

        (void)state;
        signal(SIGPIPE, SIG_IGN);
        assert_int_equal(fd_pipe(fds, NULL), 0);
        fd_close(fds[0]);
        assert_int_equal(fd_write_all(fds[1], STR("x"), &err), -1);
        assert_int_equal(err.sys, EPIPE);
        assert_int_equal(fd_write_all(fds[1], STR(""), &err), 0);
        fd_close(fds[1]);
}

static int filled_pipe(struct str content) {
        int fds[2];

        assert_int_equal(fd_pipe(fds, NULL), 0);
        assert_int_equal(fd_write_all(fds[1], content, NULL), 0);
        fd_close(fds[1]);
        return fds[0];
}

static void read_to_the_end(void **state) {
        FD_AUTO fd = filled_pipe(STR("hello\0there"));
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, 13);
        buf_append(&buf, STR("> "));
        assert_int_equal(fd_read_all(fd, &buf, NULL), 0); /* fills it exactly */
        assert_str_equal(buf_str(&buf), STR("> hello\0there"));
        assert_int_equal(fd_read_all(fd, &buf, NULL), 0); /* nothing more is no error */
}

static void read_past_the_maximum(void **state) {
        FD_AUTO fd = filled_pipe(STR("hello"));
        struct err err = { 0 };
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, 4);
        assert_int_equal(fd_read_all(fd, &buf, &err), -1);
        assert_int_equal(err.code, ERR_TOO_COMPLEX);
        assert_string_equal(err.msg, "more than 4 bytes");
        assert_int_equal(buf.len, 0);
}

static void read_errors(void **state) {
        FD_AUTO directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        struct err err = { 0 };
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, 4);
        assert_int_equal(fd_read_all(directory, &buf, &err), -1);
        assert_int_equal(err.sys, EISDIR);
        assert_string_equal(err.msg, "read: Is a directory");
}

struct reader {
        int fds[2];
        struct buf buf;
        pthread_t thread;
};

static void *read_everything(void *arg) {
        struct reader *reader = arg;

        return fd_read_all(reader->fds[0], &reader->buf, NULL) < 0 ? arg : NULL;
}

static void on_signal(int number) {
        (void)number;
}

/* The reader finds nothing again and again, and is woken by signals whose handler does not restart read() or poll(). */
static void reads_in_pieces(int flags) {
        struct sigaction action = { .sa_handler = on_signal };
        struct reader reader;
        void *result;

        buf_init(&reader.buf, MANY);
        sigaction(SIGUSR1, &action, NULL);
        assert_int_equal(fd_pipe(reader.fds, NULL), 0);
        assert_int_equal(fcntl(reader.fds[0], F_SETFL, flags), 0);
        assert_int_equal(pthread_create(&reader.thread, NULL, read_everything, &reader), 0);
        for (int i = 0; i < 5; i++) {
                usleep(2000); /* long enough for the reader to be waiting */
                pthread_kill(reader.thread, SIGUSR1);
                usleep(2000);
                assert_int_equal(fd_write_all(reader.fds[1], STR("abc"), NULL), 0);
        }
        fd_close(reader.fds[1]);
        assert_int_equal(pthread_join(reader.thread, &result), 0);
        assert_null(result);
        assert_str_equal(buf_str(&reader.buf), STR("abcabcabcabcabc"));
        fd_close(reader.fds[0]);
        buf_free(&reader.buf);
}

static void interrupted_reads(void **state) {
        (void)state;
        reads_in_pieces(0);
}

static void non_blocking_reads(void **state) {
        (void)state;
        reads_in_pieces(O_NONBLOCK);
}

static void quiet_writes(void **state) {
        struct sigaction by_default = { .sa_handler = SIG_DFL }, before;
        struct fd_quiet quiet;
        sigset_t set, pending;
        int fds[2];

        (void)state;
        sigemptyset(&set);
        sigaddset(&set, SIGPIPE);
        sigaction(SIGPIPE, &by_default, &before);
        assert_int_equal(fd_pipe(fds, NULL), 0);
        fd_close(fds[0]);
        fd_quiet_begin(&quiet);
        assert_int_equal(write(fds[1], "x", 1), -1);
        assert_int_equal(errno, EPIPE);
        fd_quiet_end(&quiet);
        assert_int_equal(errno, EPIPE);
        sigpending(&pending);
        assert_false(sigismember(&pending, SIGPIPE));
        /* One that somebody else has sent, and waits for, stays. */
        pthread_sigmask(SIG_BLOCK, &set, NULL);
        raise(SIGPIPE);
        fd_quiet_begin(&quiet);
        assert_int_equal(write(fds[1], "x", 1), -1);
        fd_quiet_end(&quiet);
        sigpending(&pending);
        assert_true(sigismember(&pending, SIGPIPE));
        assert_int_equal(sigtimedwait(&set, NULL, &(struct timespec){ 0 }), SIGPIPE);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        sigaction(SIGPIPE, &before, NULL);
        fd_close(fds[1]);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(pipe_is_close_on_exec), cmocka_unit_test(dup_is_close_on_exec),
                cmocka_unit_test(close_leaves_errno),    cmocka_unit_test(ownership),
                cmocka_unit_test(partial_writes),        cmocka_unit_test(non_blocking_writes),
                cmocka_unit_test(write_to_nobody),       cmocka_unit_test(read_to_the_end),
                cmocka_unit_test(read_past_the_maximum), cmocka_unit_test(read_errors),
                cmocka_unit_test(non_blocking_reads),    cmocka_unit_test(interrupted_reads),
                cmocka_unit_test(quiet_writes),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
