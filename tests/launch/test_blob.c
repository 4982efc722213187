/*
 * The inside of a plan arrives as it was sent, and nothing else is taken for one.
 */
#include "tests/test.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/inside.h"

static const char *const argv[] = { "bash", "-c", "echo 'a b'\n\xff", "", NULL };
static const char *const envp[] = { "PATH=/bin", "EMPTY=", NULL };
static const struct landlock_rule rules[] = { { "/", GRANT_READ }, { "/a b", GRANT_READ | GRANT_WRITE } };
static const struct sock_filter filter[] = { { 0x06, 0, 0, 0x7fff0000 }, { 0x15, 1, 2, 3 } };

static const struct wrapped_mount mounts[] = { { .source = "/usr", .target = "/a", .write = true },
                                               { .source = "/etc/passwd", .target = "/etc/passwd" } };

static const struct launch sent = {
        .landlock = { .wanted = true, .deny_tcp = true, .rules = rules, .rule_count = 2 },
        .seccomp = filter,
        .seccomp_count = 2,
        .wrapper_network = true,
        .limits = { { RLIMIT_CORE, 0 }, { RLIMIT_AS, UINT64_C(1) << 40 } },
        .limit_count = 2,
        .program = "/bin/bash",
        .argv = argv,
        .envp = envp,
        .cwd = "/tmp/\xc3\xbc",
        .wrapped = mounts,
        .wrapped_count = 2,
};

static void same_texts(const char *const *a, const char *const *b) {
        for (; *a; a++, b++)
                assert_string_equal(*a, *b);
        assert_null(*b);
}

static void arrives(void **state) {
        ARENA_AUTO arena;
        struct launch got;
        struct err err;
        FD_AUTO fd = blob_write(&sent, &err);

        (void)state;
        arena_init(&arena, 0);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, "x", 1), -1); /* nobody can change it on the way */
        assert_int_equal(blob_read(fd, &arena, &got, &err), 0);
        assert_true(got.own_pids);
        assert_true(got.wrapper_network && !got.egress.wanted); /* that is done outside */
        assert_true(got.landlock.wanted && got.landlock.deny_tcp && !got.landlock.required);
        assert_int_equal(got.landlock.rule_count, 2);
        assert_string_equal(got.landlock.rules[1].path, "/a b");
        assert_int_equal(got.landlock.rules[1].grant, GRANT_READ | GRANT_WRITE);
        assert_int_equal(got.seccomp_count, 2);
        assert_memory_equal(got.seccomp, filter, sizeof(filter));
        assert_int_equal(got.limit_count, 2);
        assert_true(got.limits[1].value == sent.limits[1].value && got.limits[1].resource == RLIMIT_AS);
        assert_string_equal(got.program, sent.program);
        assert_string_equal(got.cwd, sent.cwd);
        same_texts(sent.argv, got.argv);
        same_texts(sent.envp, got.envp);
        assert_int_equal(got.wrapped_count, 2);
        for (size_t i = 0; i < 2; i++) {
                struct stat st;

                assert_int_equal(stat(mounts[i].source, &st), 0);
                assert_string_equal(got.wrapped[i].target, mounts[i].target);
                assert_int_equal(got.wrapped[i].write, mounts[i].write);
                assert_true(got.wrapped[i].device == st.st_dev && got.wrapped[i].inode == st.st_ino);
        }
}

/* A path of the plan that is a link by now, behind one, or gone: nothing is sent. */
static void nothing_that_has_changed(void **state) {
        static const char *const paths[] = { "/proc/self/exe", "/proc/self/root/etc", "/no/such/path", "/etc/passwd/x" };

        (void)state;
        for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
                struct wrapped_mount mount = { .source = paths[i], .target = paths[i] };
                struct launch launch = sent;
                struct err err = {};

                launch.wrapped = &mount;
                launch.wrapped_count = 1;
                assert_int_equal(blob_write(&launch, &err), -1);
                assert_int_equal(err.code, ERR_CHANGED);
                assert_non_null(strstr(err.msg, paths[i]));
        }
}

/* Cut anywhere, with a byte too many, or with any byte changed to a large one: refused, or at least harmless. */
static void nothing_else_does(void **state) {
        static char bytes[4096];
        struct err err;
        FD_AUTO whole = blob_write(&sent, &err);
        ssize_t len = read(whole, bytes, sizeof(bytes));

        (void)state;
        assert_true(len > 0 && len < (ssize_t)sizeof(bytes));
        for (ssize_t i = 0; i <= len + 1; i++) {
                FD_AUTO fd = memfd_create("cut", MFD_CLOEXEC);
                ARENA_AUTO arena;
                struct launch got;

                arena_init(&arena, 0);
                assert_int_equal(write(fd, bytes, (size_t)i), i);
                assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
                assert_int_equal(blob_read(fd, &arena, &got, &err), i == len ? 0 : -1);
        }
        for (ssize_t i = 0; i < len; i++) {
                FD_AUTO fd = memfd_create("changed", MFD_CLOEXEC);
                ARENA_AUTO arena;
                struct launch got;
                char was = bytes[i];

                arena_init(&arena, 0);
                bytes[i] = (char)0xff;
                assert_int_equal(write(fd, bytes, (size_t)len), len);
                assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
                (void)!blob_read(fd, &arena, &got, &err);
                bytes[i] = was;
        }
}

/* Behind the first number stands which version has made it. */
static void of_another_version(void **state) {
        char text[4096], other[] = BAILEY_VERSION;
        ARENA_AUTO arena;
        struct launch got;
        struct err err = {};
        FD_AUTO fd = blob_write(&sent, &err), changed = memfd_create("changed", MFD_CLOEXEC);
        ssize_t len = read(fd, text, sizeof(text));
        char *version = len > 0 ? memmem(text, (size_t)len, other, sizeof(other)) : NULL;

        (void)state;
        arena_init(&arena, 0);
        if (!version)
                fail_msg("no version in it");
        else
                version[0] = '9';
        other[0] = '9';
        assert_int_equal(pwrite(changed, text, (size_t)len, 0), len);
        assert_int_equal(blob_read(changed, &arena, &got, &err), -1);
        assert_int_equal(err.code, ERR_UNSUPPORTED);
        assert_non_null(strstr(err.msg, other));
        assert_non_null(strstr(err.msg, BAILEY_VERSION));
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(arrives), cmocka_unit_test(nothing_that_has_changed),
                                            cmocka_unit_test(nothing_else_does), cmocka_unit_test(of_another_version) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
