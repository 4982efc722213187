/*
 * The names in a directory: what is not there may be left out, and nothing else.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/name_set.h"

static struct name_set set;

static bool has(const char *name) {
        return name_set_may_have(&set, name, strlen(name));
}

static void make(const char *directory, const char *name) {
        char path[128];

        snprintf(path, sizeof(path), "%s/%s", directory, name);
        assert_int_equal(mkdir(path, 0700), 0);
}

static void what_is_there(void **state) {
        char top[] = "/tmp/bailey-names.XXXXXX";

        (void)state;
        assert_non_null(mkdtemp(top));
        make(top, ".Cache");
        make(top, "go");
        name_set_read(top, &set);
        assert_true(has("go") && has(".Cache") && has(".cache") && has(".CACHE"));
        assert_false(has(".config") || has("gone"));
        assert_true(name_set_may_have(&set, "go/pkg", 2));
        name_set_read("/nowhere/at/all", &set);
        assert_false(has("go"));
}

/* What cannot be listed may have any name. */
static void what_cannot_be_listed(void **state) {
        char loop[] = "/tmp/bailey-names.XXXXXX", path[128];

        (void)state;
        assert_non_null(mkdtemp(loop));
        snprintf(path, sizeof(path), "%s/loop", loop);
        assert_int_equal(symlink("loop", path), 0);
        name_set_read(path, &set);
        assert_true(has("go") && has(".config"));
}

static void a_large_directory(void **state) {
        char top[] = "/tmp/bailey-names.XXXXXX", name[16];

        (void)state;
        assert_non_null(mkdtemp(top));
        for (int i = 0; i < 4096; i++) {
                snprintf(name, sizeof(name), "%d", i);
                make(top, name);
        }
        name_set_read(top, &set);
        assert_true(has("go") && has(".config") && has("4095"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(what_is_there),
                cmocka_unit_test(what_cannot_be_listed),
                cmocka_unit_test(a_large_directory),
        };

        return cmocka_run_group_tests_name("names in a directory", tests, NULL, NULL);
}
