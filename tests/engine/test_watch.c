#include "tests/test.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "engine/pipeline/watch.h"

static void script(const char *text) {
        char whole[512];

        assert_true((size_t)snprintf(whole, sizeof(whole), "set -e; %s", text) < sizeof(whole));
        if (system(whole) != 0) /* NOLINT(cert-env33-c): of a test */
                fail_msg("%s", text);
}

static char top[] = "/tmp/watch_test.XXXXXX";

static int begin(void **state) {
        (void)state;
        snprintf(top, sizeof(top), "/tmp/watch_test.XXXXXX");
        return mkdtemp(top) && chdir(top) == 0 ? 0 : -1;
}

static int end(void **state) {
        (void)state;
        script("chmod -R u+rwx . && rm -rf * .[!.]* 2>&1");
        return chdir("/") == 0 ? rmdir(top) : -1;
}

/* What there is, what is looked at, what is done, and whether that matters. */
static const struct {
        const char *before, *path, *change;
        bool matters, content;
} changes[] = {
        { ":", "a", "touch a", true, false },
        { ":", "a", "touch b", false, false },
        { ":", "a/b/c", "mkdir a", true, false },
        { ":", "a/b/c", "mkdir x; mkdir x/b; mv x a", true, false },
        { "mkdir -p a/b", "a/b/c", "touch a/b/c", true, false },
        { "mkdir -p a/b", "a/b/c", "touch a/b/d", false, false },
        { "mkdir -p a/b", "a/b/c", "touch a/c c", false, false },
        { "mkdir -p a/b", "a/b", "rmdir a/b", true, false },
        { "mkdir -p a/b", "a/b", "mv a x; mkdir -p a/b", true, false },
        { "mkdir -p a/b", "a/b", "mv a x; mv x a", true, false },
        { "mkdir -p a/b", "a/b", "touch a/b/c", false, false },
        { "touch a", "a", "rm a", true, false },
        { "touch a", "a", "touch x; mv x a", true, false },
        { "touch a", "a", "chmod 0 a", true, false },
        { "touch a", "a", "echo more >>a", false, false },
        { "touch a", "a", "echo more >>a", true, true },
        { "echo 1 >a; ln a b", "a", "echo 2 >b", true, true },
        { "mkdir a", "a/b", "chmod 0 a", true, false },
        { "mkdir a; ln -s a l", "l/b", "touch a/b", true, false },
        { "mkdir a x; ln -s a l", "l/b", "ln -sfn x l", true, false },
        { "mkdir a x; ln -s a l", "l/b", "touch x/b", false, false },
        { "mkdir a; ln -s $PWD/a m; ln -s m l", "l/b", "touch a/b", true, false },
        { "mkdir a; ln -s $PWD/a m; ln -s m l", "l/b", "rm m", true, false },
        { "mkdir -p a/b c; ln -s ../../c a/b/l", "a/b/l/x", "touch c/x", true, false },
        { "ln -s nowhere l", "l", "touch nowhere", true, false },
        { "ln -s l l", "l/x", "rm l", true, false },
        { "ln -s l l", "l/x", "touch x", false, false },
};

static void each_change(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
                struct watch watch;

                script("rm -rf * .[!.]* 2>&1");
                script(changes[i].before);
                watch_begin(&watch);
                watch_path(&watch, changes[i].path, changes[i].content);
                assert_true(watch_quiet(&watch));
                script(changes[i].change);
                if (watch_quiet(&watch) == changes[i].matters)
                        fail_msg("%s: %s: %s", changes[i].before, changes[i].path, changes[i].change);
                assert_int_equal(watch_quiet(&watch), !changes[i].matters); /* it stays so */
                watch_end(&watch);
        }
}

/* What is not told of counts as changed. */
static void what_is_not_known(void **state) {
        char name[32];
        struct watch watch;

        (void)state;
        watch_begin(&watch);
        for (int i = 0; i < WATCH_NAMES && !watch.changed; i++) {
                snprintf(name, sizeof(name), "/n%d", i);
                watch_path(&watch, name, false);
        }
        assert_false(watch_quiet(&watch));
        watch_end(&watch);
        assert_false(watch_quiet(&watch));
}

/* By links, the kernel finds more than fits into a path. */
static void what_is_too_long(void **state) {
        char path[3072] = "here/";
        struct watch watch;

        (void)state;
        script("perl -e 'symlink(\"./\" x 1000, \"here\"); $n = \"d\" x 200; $half = join(\"/\", ($n) x 12);"
               "symlink($half, \"half\"); for (1 .. 24) { mkdir($n); chdir($n) or die; symlink($half, \"rest\") if $_ == 12 "
               "}'");
        for (size_t len = strlen(path); len + 3 < sizeof(path); len += 2)
                memcpy(path + len, "./", 3);
        for (int i = 0; i < 2; i++) {
                const char *looked_at = i ? "half/rest" : path;

                assert_int_equal(access(looked_at, F_OK), 0);
                watch_begin(&watch);
                watch_path(&watch, looked_at, false);
                assert_false(watch_quiet(&watch));
                watch_end(&watch);
        }
}

static void more_than_the_kernel_keeps(void **state) {
        struct watch watch;

        (void)state;
        watch_begin(&watch);
        watch_path(&watch, "a", false);
        script("perl -e 'for (0 .. $ARGV[0]) { open(F, \">x\"); unlink(\"x\"); }' $(cat "
               "/proc/sys/fs/inotify/max_queued_events)");
        assert_false(watch_quiet(&watch));
        watch_end(&watch);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(each_change, begin, end),
                cmocka_unit_test(what_is_not_known),
                cmocka_unit_test_setup_teardown(what_is_too_long, begin, end),
                cmocka_unit_test_setup_teardown(more_than_the_kernel_keeps, begin, end),
        };

        /* Mounts matter, too, and engines of containers mount things all the time: nobody else does here, if that can be had.
         */
        if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
                return 1;
        return cmocka_run_group_tests(tests, NULL, NULL);
}
