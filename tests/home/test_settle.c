/*
 * What sandboxes wrote through overlays, moved into the layer. Upper directories are made by hand here, as overlays leave them.
 */
#include "tests/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/fd.h"
#include "home/home.h"

struct layer {
        char path[64];
};

static void shell(const struct layer *layer, const char *script) {
        char text[4096];

        snprintf(text, sizeof(text), "cd '%s' && set -e && %s", layer->path, script);
        if (system(text) != 0) /* NOLINT(cert-env33-c): a test */
                fail_msg("%s", script);
}

static struct layer begin(const char *script) {
        struct layer layer = { "/tmp/bailey-layer.XXXXXX" };

        assert_non_null(mkdtemp(layer.path));
        shell(&layer, "mkdir home runs");
        shell(&layer, script);
        return layer;
}

static void settles(const char *before, const char *check) {
        struct layer layer = begin(before);
        struct err err = {};

        if (home_settle(layer.path, &err) < 0)
                fail_msg("%s: %s", before, err.msg);
        shell(&layer, check);
        shell(&layer, "test -z \"$(ls runs)\"");
        shell(&layer, "chmod -R u+rwx . && rm -rf \"$PWD\"");
}

#define RUN "mkdir -p runs/run-1/upper runs/run-1/work/work && cd runs/run-1/upper && "

static void new_files(void **state) {
        (void)state;
        settles(RUN "mkdir -p .npm/a && echo 1 >.npm/a/f", "grep -q 1 home/.npm/a/f");
        settles("mkdir -p home/.npm/a && echo 0 >home/.npm/a/old && " RUN
                "mkdir -p .npm/a .npm/b && echo 1 >.npm/a/f && echo 2 >.npm/b/f",
                "grep -q 1 home/.npm/a/f; grep -q 2 home/.npm/b/f; grep -q 0 home/.npm/a/old");
        settles("mkdir -p home/.npm && echo 0 >home/.npm/f && " RUN "mkdir .npm && echo 1 >.npm/f", "grep -q 1 home/.npm/f");
        settles("mkdir -p home/.npm/f/deep && " RUN "mkdir .npm && echo 1 >.npm/f", "grep -q 1 home/.npm/f");
        settles("mkdir -p home/.npm && echo 0 >home/.npm/d && " RUN "mkdir -p .npm/d && echo 1 >.npm/d/f",
                "grep -q 1 home/.npm/d/f");
        settles(":", "test -d home");
}

/* Nothing follows a link: those of a layer and of an upper directory lead wherever a command likes. */
static void links(void **state) {
        (void)state;
        settles("mkdir outside && ln -s ../outside home/.npm && " RUN "mkdir .npm && echo 1 >.npm/f",
                "test -z \"$(ls outside)\"; grep -q 1 home/.npm/f");
        settles("mkdir outside && echo 1 >outside/f && mkdir home/.npm && " RUN "ln -s ../../../outside .npm",
                "test -L home/.npm; grep -q 1 outside/f");
        settles("mkdir outside && echo 1 >outside/f && mkdir -p runs/run-1 && cd runs/run-1 && ln -s ../../outside upper",
                "grep -q 1 outside/f; test ! -e home/f");
        settles("mkdir -p outside/upper && echo 1 >outside/upper/f && ln -s ../outside runs/run-1 || :; rm -f runs/run-1",
                "grep -q 1 outside/upper/f; test ! -e home/f");
}

static void deletions(void **state) {
        (void)state;
        if (geteuid() != 0)
                skip();
        settles("mkdir home/.npm && echo 0 >home/.npm/f && sleep 0.05 && " RUN "mkdir .npm && mknod .npm/f c 0 0",
                "test -c home/.npm/f");
        settles("mkdir -p home/.npm/d && echo 0 >home/.npm/d/f && sleep 0.05 && " RUN
                "mkdir -p .npm/d && python3 -c 'import os; os.setxattr(\".npm/d\", \"user.overlay.opaque\", b\"y\")' && echo 1 "
                ">.npm/d/g",
                "test ! -e home/.npm/d/f; grep -q 1 home/.npm/d/g");
}

/* Of a sandbox that exists nothing is moved. */
static void running(void **state) {
        struct layer layer = begin(RUN "echo 1 >f");
        char path[128];
        struct err err = {};
        int fd;

        (void)state;
        snprintf(path, sizeof(path), "%s/runs/run-1", layer.path);
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(fd >= 0);
        assert_int_equal(flock(fd, LOCK_EX), 0);
        assert_int_equal(home_settle(layer.path, &err), 0);
        shell(&layer, "test ! -e home/f; test -e runs/run-1/upper/f");
        fd_close(fd);
        assert_int_equal(home_settle(layer.path, &err), 0);
        shell(&layer, "grep -q 1 home/f; test -z \"$(ls runs)\"");
        shell(&layer, "rm -rf \"$PWD\"");
}

/* What wrote nothing is left for the next one, and removed only with many others. */
static void left(void **state) {
        struct layer layer = begin("mkdir -p runs/run-1/upper runs/run-1/work/work/incompat runs/run-2/upper runs/ended-1/x && "
                                   "echo 1 >runs/run-2/upper/f");
        struct err err = {};

        (void)state;
        assert_int_equal(home_settle(layer.path, &err), 0);
        shell(&layer, "test \"$(ls runs | tr '\\n' ' ')\" = 'ended-1 run-1 '; grep -q 1 home/f");
        assert_int_equal(home_tidy(layer.path, &err), 0);
        shell(&layer, "test -e runs/run-1; test -e runs/ended-1");
        shell(&layer, "for i in $(seq 2 16); do mkdir -p runs/ended-$i/work; done; mkdir runs/run-3 runs/run-3/upper; "
                      "echo 2 >runs/run-3/upper/g");
        assert_int_equal(home_tidy(layer.path, &err), 0);
        shell(&layer, "test -z \"$(ls runs)\"; grep -q 2 home/g");
        shell(&layer, "rm -rf \"$PWD\"");
}

static bool takes(const struct layer *layer, const char *expected, bool has_other) {
        FD_AUTO directory = open(layer->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        FD_AUTO runs = openat(directory, HOME_RUNS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        struct stat taken, there;
        struct home_run run;
        struct err err = {};

        if (home_take_run(runs, &run, &err) < 0)
                fail_msg("%s", err.msg);
        assert_int_equal(run.has_other, has_other);
        assert_int_equal(fstat(run.fd, &taken), 0);
        fd_close(run.fd);
        return fstatat(runs, expected, &there, AT_SYMLINK_NOFOLLOW) == 0 && there.st_ino == taken.st_ino;
}

/* A sandbox gets what another one has left without writing anything, and is told of what others have left to be settled. */
static void taken(void **state) {
        struct layer layer = begin("mkdir -p runs/run-1/upper runs/run-1/work/work/incompat runs/ended-1");

        (void)state;
        assert_true(takes(&layer, "run-1", false));
        shell(&layer, "test \"$(ls -A runs/run-1/work runs/run-1/upper | wc -w)\" = 2; test \"$(ls runs | wc -l)\" = 3");
        assert_true(takes(&layer, "run-1", false));
        shell(&layer, "mkdir -p runs/run-2/upper/.npm");
        assert_true(takes(&layer, "run-1", true));
        shell(&layer, "echo 1 >runs/run-1/upper/f");
        assert_false(takes(&layer, "run-1", true));
        shell(&layer, "test \"$(ls -d runs/run-* | wc -l)\" = 3; test -e runs/run-1/upper/f; test -e runs/run-2/upper/.npm");
        shell(&layer, "rm -rf runs/run-*; ln -s / runs/run-3; mkdir runs/run-4; ln -s / runs/run-4/upper");
        assert_false(takes(&layer, "run-4", true));
        shell(&layer, "rm -rf \"$PWD\"");
}

/* Also what an overlay does not leave. */
static void rests(void **state) {
        struct layer layer =
                begin("for i in $(seq 20); do mkdir -p runs/ended-$i/incompat/volatile; done; "
                      "for i in $(seq 5); do touch runs/ended-$i/incompat/volatile/dirty; done; "
                      "touch runs/ended-6/x; mkdir -p runs/ended-7/incompat/a; ln -s /etc runs/ended-8/incompat/l; "
                      "chmod 0 runs/ended-9/incompat");
        struct err err = {};

        (void)state;
        assert_int_equal(home_tidy(layer.path, &err), 0);
        shell(&layer, "test -z \"$(ls runs)\"; test -e /etc/passwd");
        shell(&layer, "rm -rf \"$PWD\"");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(new_files), cmocka_unit_test(links), cmocka_unit_test(deletions), cmocka_unit_test(running),
                cmocka_unit_test(left),      cmocka_unit_test(taken), cmocka_unit_test(rests),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
