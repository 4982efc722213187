/*
 * What commands wrote in their home: names that they chose, deletions, settings, and more than is told.
 */
#include "tests/test.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "home/changes.h"
#include "home/home.h"

static char top[64];
static struct arena arena;

static int begin(void **state) {
        (void)state;
        arena_init(&arena, 0);
        snprintf(top, sizeof(top), "/tmp/bailey-changes.XXXXXX");
        return mkdtemp(top) ? 0 : -1;
}

/* In `user`, the user's home, beside `layer`. */
static void shell(const char *script) {
        char text[4096];

        snprintf(text, sizeof(text), "cd '%s' && mkdir -p user layer/home layer/runs && set -e && %s", top, script);
        if (system(text) != 0) /* NOLINT(cert-env33-c): a test */
                fail_msg("%s", script);
}

static int end(void **state) {
        (void)state;
        shell("chmod -R u+rwx . && rm -rf \"$PWD\"");
        arena_free(&arena);
        return 0;
}

static struct home_changes find(size_t limit) {
        char layer[PATH_MAX], home[PATH_MAX];
        struct str shown[] = { STR("~/extra") };
        struct home_changes_request request = { .limit = limit, .deadline = INT64_MAX / 4, .show = { shown, 1 } };
        struct home_changes found;
        struct err err = {};

        snprintf(layer, sizeof(layer), "%s/layer", top);
        snprintf(home, sizeof(home), "%s/user", top);
        request.home = home;
        request.layer = open(layer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(request.layer >= 0);
        if (home_changes_find(&request, &arena, &found, &err) < 0)
                fail_msg("%s", err.msg);
        fd_close(request.layer);
        return found;
}

static void copy_settings(void) {
        char layer[PATH_MAX], home[PATH_MAX];
        struct home_names names = { .home = home };
        struct err err = {};
        FD_AUTO fd = -1, user = -1, files = -1;

        snprintf(layer, sizeof(layer), "%s/layer", top);
        snprintf(home, sizeof(home), "%s/user", top);
        fd = open(layer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        user = open(home, O_PATH | O_DIRECTORY | O_CLOEXEC);
        files = openat(fd, HOME_FILES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0 || user < 0 || files < 0 || home_copy_settings(fd, user, files, &names, &err) < 0)
                fail_msg("%s", err.msg);
}

static void is(const struct home_change *change, enum home_change_kind kind, const char *path, unsigned type, uint64_t bytes,
               bool settings) {
        assert_string_equal(change->path, path);
        assert_int_equal(change->kind, kind);
        assert_int_equal(change->type, type);
        assert_int_equal(change->bytes, bytes);
        assert_int_equal(change->settings, settings);
}

static void files(void **state) {
        struct home_changes found;

        (void)state;
        shell("mkdir -p user/.npm/_cacache user/private user/extra && echo 1 >user/.npm/_cacache/f && echo 1 >user/private/f "
              "&& "
              "echo 1 >user/extra/f && ln -s /nix user/.nix-profile");
        shell("cd layer/home && mkdir -p .npm/_cacache/empty private extra && echo 22 >.npm/_cacache/f && echo 333 "
              ">.npm/_cacache/new && echo 22 >private/f && echo 22 >extra/f && ln -s /nix .nix-profile && ln -s /etc link && "
              "mkfifo p");
        found = find(100);
        assert_int_equal(found.count, 6);
        assert_true(found.complete);
        is(&found.items[0], HOME_CHANGED, ".npm/_cacache/f", S_IFREG, 3, false);
        is(&found.items[1], HOME_ADDED, ".npm/_cacache/new", S_IFREG, 4, false);
        is(&found.items[2], HOME_CHANGED, "extra/f", S_IFREG, 3, false);
        is(&found.items[3], HOME_ADDED, "link", S_IFLNK, 0, false);
        is(&found.items[4], HOME_ADDED, "p", S_IFIFO, 0, false);
        is(&found.items[5], HOME_ADDED, "private/f", S_IFREG, 3, false); /* the user's was not seen */
        shell("ln -sfn /elsewhere layer/home/.nix-profile");
        is(&find(100).items[0], HOME_CHANGED, ".nix-profile", S_IFLNK, 0, false);
}

static void deletions(void **state) {
        struct home_changes found;

        (void)state;
        if (geteuid() != 0)
                skip();
        shell("mkdir -p user/.npm/_cacache/d && echo 1 >user/.npm/_cacache/f && echo 1 >user/.npm/_cacache/d/f");
        shell("cd layer/home && mkdir -p .npm/_cacache/d && mknod .npm/_cacache/f c 0 0 && python3 -c 'import os; "
              "os.setxattr(\".npm/_cacache/d\", \"user.overlay.opaque\", b\"y\")'");
        found = find(100);
        assert_int_equal(found.count, 2);
        is(&found.items[0], HOME_CHANGED, ".npm/_cacache/d", S_IFDIR, 0, false);
        is(&found.items[1], HOME_DELETED, ".npm/_cacache/f", 0, 0, false);
}

/* Copies are told only once commands have changed them. */
static void settings(void **state) {
        struct home_changes found;

        (void)state;
        shell("echo a >user/.gitconfig && echo b >user/.npmrc && echo c >user/.editorconfig && mkdir -p user/.cargo && echo d "
              ">user/.cargo/config.toml");
        copy_settings();
        shell("test -e layer/home/.gitconfig");
        assert_int_equal(find(100).count, 0);
        shell("cd layer/home && echo evil >.gitconfig && rm .npmrc && echo new >.gemrc && rm .editorconfig && ln -s "
              "/etc/passwd "
              ".editorconfig && rm -r .cargo && ln -s /etc .cargo");
        found = find(100);
        assert_int_equal(found.count, 6);
        is(&found.items[0], HOME_ADDED, ".cargo", S_IFLNK, 0, false);
        is(&found.items[1], HOME_DELETED, ".cargo/config.toml", 0, 0, true);
        is(&found.items[2], HOME_CHANGED, ".editorconfig", S_IFLNK, sizeof("/etc/passwd") - 1, true);
        is(&found.items[3], HOME_ADDED, ".gemrc", S_IFREG, 4, true);
        is(&found.items[4], HOME_CHANGED, ".gitconfig", S_IFREG, 5, true);
        is(&found.items[5], HOME_DELETED, ".npmrc", 0, 0, true);
}

/* However many files there are, what matters is told. */
static void limits(void **state) {
        struct home_changes found;

        (void)state;
        shell("echo a >user/.gitconfig");
        copy_settings();
        shell("cd layer/home && : >.gitconfig && python3 -c '\nfor i in range(5000):\n    open(\"f%04d\" % i, "
              "\"w\").write(\"x\" * i)'");
        found = find(3);
        assert_int_equal(found.count, 3);
        is(&found.items[0], HOME_CHANGED, ".gitconfig", S_IFREG, 0, true);
        is(&found.items[1], HOME_ADDED, "f4998", S_IFREG, 4998, false);
        is(&found.items[2], HOME_ADDED, "f4999", S_IFREG, 4999, false);
        assert_int_equal(found.left_out, 4998);
        assert_int_equal(found.left_out_bytes, 4998 * 4997 / 2);
}

static void hostile_trees(void **state) {
        struct home_changes found;

        (void)state;
        shell("cd layer/home && printf 1 >\"$(printf 'a\\033[2J\\nb\\377')\" && mkdir closed && chmod 0 closed && python3 -c "
              "'\n"
              "import os\nfor i in range(300):\n    os.mkdir(\"d\" * 250)\n    os.chdir(\"d\" * 250)'");
        found = find(100);
        assert_false(found.complete); /* of the directory that is too deep nothing is known */
        is(&found.items[0], HOME_ADDED, "a\033[2J\nb\377", S_IFREG, 1, false);
        if (geteuid() != 0) {
                is(&found.items[1], HOME_ADDED, "closed", S_IFDIR, 0, false);
                assert_false(found.items[1].opened);
        }
        assert_false(found.items[found.count - 1].opened);
        assert_in_range(strlen(found.items[found.count - 1].path), 120 * 251, 130 * 251);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(files, begin, end),
                cmocka_unit_test_setup_teardown(deletions, begin, end),
                cmocka_unit_test_setup_teardown(settings, begin, end),
                cmocka_unit_test_setup_teardown(limits, begin, end),
                cmocka_unit_test_setup_teardown(hostile_trees, begin, end),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
