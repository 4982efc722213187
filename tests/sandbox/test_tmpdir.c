/*
 * The private directory of a command, where /tmp is a link, as on macOS: in a root of its own.
 */
#include "tests/test.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/tmpdir.h"

enum { NO_ROOT = 77 };

/* The status of the process is the answer. */
static int make_inside(const char *root) {
        struct tmpdir tmpdir = { .fd = -1 };
        const char *path = NULL;
        struct err err = {};
        ARENA_AUTO arena;
        struct stat st;
        char kept[64];

        if (geteuid() != 0 && unshare(CLONE_NEWUSER) < 0)
                return NO_ROOT;
        if (chroot(root) < 0 || chdir("/") < 0)
                return NO_ROOT;
        arena_init(&arena, 0);
        if (tmpdir_make(&tmpdir, &arena, &path, &err) < 0)
                return 1;
        if (strncmp(path, "/private/tmp/.bailey-tmp-", strlen("/private/tmp/.bailey-tmp-")) != 0 || stat(path, &st) < 0)
                return 2;
        snprintf(kept, sizeof(kept), "%s", path);
        tmpdir_remove(&tmpdir);
        return stat(kept, &st) < 0 ? 0 : 3;
}

static void path_is_real(void **state) {
        char root[] = "/tmp/test-tmpdir-XXXXXX", path[64];
        int status = 0;
        pid_t child;

        (void)state;
        assert_non_null(mkdtemp(root));
        snprintf(path, sizeof(path), "%s/private", root);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof(path), "%s/private/tmp", root);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof(path), "%s/tmp", root);
        assert_int_equal(symlink("private/tmp", path), 0);
        child = fork();
        assert_true(child >= 0);
        if (child == 0)
                _exit(make_inside(root));
        assert_int_equal(waitpid(child, &status, 0), child);
        unlink(path);
        snprintf(path, sizeof(path), "%s/private/tmp", root);
        rmdir(path);
        snprintf(path, sizeof(path), "%s/private", root);
        rmdir(path);
        rmdir(root);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) == NO_ROOT)
                skip();
        assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(path_is_real),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
