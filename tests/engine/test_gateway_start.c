/*
 * The process of the network gateway is started while the engine goes on: whatever becomes of it, that is known at the first
 * read, and nothing of it is left.
 */
#include "tests/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "engine/pipeline/gateway_link.h"

static int count_files(void) {
        DIR *list = opendir("/proc/self/fd");
        int count = 0;

        assert_non_null(list);
        while (readdir(list))
                count++;
        closedir(list);
        return count;
}

static void expect_nothing(const struct gateway_link *link, int files) {
        assert_int_equal(link->socket, -1);
        assert_int_equal(link->starter, -1);
        assert_int_equal(link->process, -1);
        assert_int_equal(link->alive, -1);
        assert_int_equal(count_files(), files);
        assert_true(waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD);
}

/* A command of which the gateway should know. */
static void add_log(struct gateway_link *link, struct network_log *log) {
        *log = (struct network_log){ .link = link, .command = ++link->last, .announced = true };
        link->logs = log;
}

/* What cannot be executed, and what ends at once: the command has no network, and knows why. */
static void one_that_ends_is_lost(void **state) {
        static const char *const programs[] = { "/no/such/program", "/dev/null", "/bin/true", "/bin/false" };

        (void)state;
        for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
                struct gateway_link link = GATEWAY_LINK_NONE;
                int files = count_files();
                struct network_log log;
                struct err err = {};

                assert_int_equal(gateway_start(&link, programs[i], &err), 0);
                add_log(&link, &log);
                log.used = true;
                gateway_link_end(&log); /* which waits for it, but not for ever */
                assert_true(log.lost);
                assert_null(log.link);
                expect_nothing(&link, files);
                gateway_link_close(&link);
        }
}

static void one_that_nobody_reads_is_ended(void **state) {
        struct gateway_link link = GATEWAY_LINK_NONE;
        int files = count_files();
        struct err err = {};

        (void)state;
        assert_int_equal(gateway_start(&link, getenv("BAILEY"), &err), 0);
        gateway_link_close(&link);
        expect_nothing(&link, files);
}

static void one_that_cannot_be_watched_is_ended(void **state) {
        FD_AUTO null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        struct gateway_link link = GATEWAY_LINK_NONE;
        int files = count_files();
        struct err err = {};

        (void)state;
        link.epoll_fd = null;
        assert_int_equal(gateway_start(&link, getenv("BAILEY"), &err), -1);
        assert_string_equal(err.msg, "network gateway: epoll: Invalid argument");
        expect_nothing(&link, files);
}

/* The host program has waited for all of its children, also for those that a plain wait() does not see. */
static void others_may_wait_for_it(void **state) {
        struct gateway_link link = GATEWAY_LINK_NONE;
        int files = count_files();
        struct err err = {};

        (void)state;
        assert_int_equal(gateway_start(&link, getenv("BAILEY"), &err), 0);
        while (waitpid(-1, NULL, __WALL) > 0)
                ;
        assert_int_equal(gateway_started(&link), 0);
        assert_true(link.process >= 0);
        gateway_link_close(&link);
        expect_nothing(&link, files);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(one_that_ends_is_lost),
                cmocka_unit_test(one_that_nobody_reads_is_ended),
                cmocka_unit_test(one_that_cannot_be_watched_is_ended),
                cmocka_unit_test(others_may_wait_for_it),
        };

        return cmocka_run_group_tests_name("gateway_start", tests, NULL, NULL);
}
