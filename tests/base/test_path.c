#include "base/path.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/test.h"

static void in_a_directory(void **state) {
        static const struct {
                const char *path, *dir;
                bool within, below;
        } rows[] = {
                { "/a", "/a", true, false },    { "/a/b", "/a", true, true },   { "/a/b/c", "/a", true, true },
                { "/ab", "/a", false, false },  { "/a", "/a/b", false, false }, { "/a/", "/a", true, false },
                { "/b/a", "/a", false, false }, { "/", "/", true, false },      { "/a", "/", true, true },
                { "/a/b", "/", true, true },    { "/", "/a", false, false },    { "/a/b", "/a/", true, true },
                { "/a", "/a/", true, false },   { "/ab", "/a/", false, false }, { "/a/b", "/a/b/", true, false },
                { "/a/..b", "/a", true, true }, { "/a.b", "/a", false, false }, { "a", "/", false, false },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                if (path_within(rows[i].path, rows[i].dir) != rows[i].within ||
                    path_below(rows[i].path, rows[i].dir) != rows[i].below)
                        fail_msg("%s in %s", rows[i].path, rows[i].dir);
}

static void of_an_open_file(void **state) {
        char path[PATH_MAX];
        int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        (void)state;
        assert_true(fd >= 0);
        assert_true(path_of_fd(fd, path));
        assert_string_equal(path, "/");
        close(fd);
        assert_false(path_of_fd(fd, path));
}

static void patterns(void **state) {
        (void)state;
        assert_true(path_glob(STR("*.py"), STR("a.py")));
        assert_false(path_glob(STR("*.py"), STR("b/a.py")));
        assert_true(path_glob(STR("**/*.py"), STR("b/c/a.py")));
        assert_true(path_glob(STR("/proc/*/environ"), STR("/proc/1/environ")));
        assert_false(path_glob(STR("/proc/*/environ"), STR("/proc/1/2/environ")));
        assert_false(path_glob_here(STR("x"), STR("a/x")));
        assert_true(path_glob_anywhere(STR("x"), STR("a/x")));
}

static void components(void **state) {
        char out[32] = "/a/b";

        (void)state;
        assert_int_equal(path_append(out, 4, STR("../c//./d")), 6);
        assert_memory_equal(out, "/a/c/d", 6);
        assert_int_equal(path_append(out, 1, STR("../../x")), 2);
        assert_memory_equal(out, "/x", 2);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(in_a_directory),
                cmocka_unit_test(of_an_open_file),
                cmocka_unit_test(patterns),
                cmocka_unit_test(components),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
