/*
 * What a command may have of the caller's files: nothing but a pipe; and what is carried arrives.
 */
#include "tests/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "run/relay.h"

static void only_pipes_are_handed_on(void **state) {
        FD_AUTO file = memfd_create("file", MFD_CLOEXEC), null = open("/dev/null", O_WRONLY),
                zero = open("/dev/zero", O_WRONLY), terminal = posix_openpt(O_RDWR | O_NOCTTY);
        int ends[2], pair[2];

        (void)state;
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        assert_true(relay_needless(ends[1]));
        assert_true(relay_needless(null));
        assert_false(relay_needless(zero));
        assert_false(relay_needless(file));
        assert_false(relay_needless(terminal));
        assert_false(relay_needless(pair[0]));
        assert_false(relay_needless(-1));
        assert_true(relay_same(file, file));
        assert_false(relay_same(file, null));
        for (int i = 0; i < 2; i++) {
                close(ends[i]);
                close(pair[i]);
        }
}

/* More than the buffer and the pipe hold, in pieces. */
static void everything_arrives(void **state) {
        FD_AUTO file = memfd_create("file", MFD_CLOEXEC);
        static struct relay relay;
        static char piece[3000];
        struct stat st;
        struct err err;
        size_t sent = 0;
        int end;

        (void)state;
        assert_int_equal(relay_open(&relay, file, &end, &err), 0);
        for (int i = 0; i < 500; i++) {
                memset(piece, 'a' + i % 26, sizeof(piece));
                assert_int_equal(write(end, piece, sizeof(piece)), sizeof(piece));
                sent += sizeof(piece);
                for (int step = 0; step < 4; step++) {
                        struct pollfd polled = relay_poll(&relay);

                        if (poll(&polled, 1, 0) > 0)
                                relay_step(&relay, &polled);
                }
        }
        close(end);
        relay_drain(&relay, time_monotonic() + 60 * TIME_SECOND);
        assert_int_equal(relay.from, -1);
        assert_int_equal(fstat(file, &st), 0);
        assert_int_equal(st.st_size, sent);
        for (int i = 0; i < 500; i++) {
                char first;

                assert_int_equal(pread(file, &first, 1, (off_t)i * (off_t)sizeof(piece)), 1);
                assert_int_equal(first, 'a' + i % 26);
        }
}

/* Who takes nothing does not keep us, and a broken pipe ends it. */
static void nobody_waits_for_ever(void **state) {
        static struct relay relay;
        struct err err;
        int ends[2], end;

        (void)state;
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
        while (write(ends[1], "x", 1) == 1)
                ;
        assert_int_equal(relay_open(&relay, ends[1], &end, &err), 0);
        assert_int_equal(write(end, "late", 4), 4);
        relay_drain(&relay, time_monotonic() + TIME_SECOND / 100);
        assert_int_equal(relay.from, -1);
        close(end);
        close(ends[0]);
        close(ends[1]);
        assert_int_equal(relay_open(&relay, 1 << 20, &end, &err), -1);
}

/* Two relays share it; the writers are not stopped. */
static void what_is_above_the_quota_is_dropped(void **state) {
        static const char *const texts[] = { "0123456", "789abcdef" };
        FD_AUTO file = memfd_create("file", MFD_CLOEXEC), null = open("/dev/null", O_WRONLY);
        struct output_quota quota = { .limit = 10 };
        static struct relay relay;
        char arrived[32] = "";
        struct err err;
        int end;

        (void)state;
        for (size_t i = 0; i < 2; i++) {
                assert_int_equal(relay_open(&relay, file, &end, &err), 0);
                relay.quota = &quota;
                assert_int_equal(write(end, texts[i], strlen(texts[i])), strlen(texts[i]));
                close(end);
                relay_drain(&relay, time_monotonic() + 60 * TIME_SECOND);
        }
        assert_int_equal(pread(file, arrived, sizeof(arrived) - 1, 0), 10);
        assert_string_equal(arrived, "0123456789");
        assert_int_equal(quota.passed, 10);
        assert_int_equal(quota.dropped, 6);
        assert_true(relay_discards(null));
        assert_false(relay_discards(file));

        quota = (struct output_quota){};
        assert_int_equal(output_quota_take(&quota, 1 << 30), 1 << 30);
        assert_int_equal(quota.dropped, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(only_pipes_are_handed_on),
                cmocka_unit_test(everything_arrives),
                cmocka_unit_test(nobody_waits_for_ever),
                cmocka_unit_test(what_is_above_the_quota_is_dropped),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
