#include "tests/test.h"

#include <string.h>

#include "policy/unasked.h"

static void sorted_and_unique(void **state) {
        (void)state;
        for (size_t i = 1; i < unasked_count; i++)
                if (strcmp(unasked_rows[i - 1].path, unasked_rows[i].path) >= 0)
                        fail_msg("%s does not come before %s", unasked_rows[i - 1].path, unasked_rows[i].path);
}

static void every_row_says_where_and_by_what(void **state) {
        const unsigned all = UNASKED_WORKSPACE | UNASKED_GUARDED;

        (void)state;
        for (size_t i = 0; i < unasked_count; i++)
                if (!unasked_rows[i].by || !unasked_rows[i].by[0] || !unasked_rows[i].places || unasked_rows[i].places & ~all)
                        fail_msg("%s: by what, or where?", unasked_rows[i].path);
}

/* Sandboxes go from name to name; the guard takes a slash in front for a path of the system. */
static void paths_are_of_their_place(void **state) {
        (void)state;
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_WORKSPACE | UNASKED_GUARDED));) {
                size_t len = strlen(row->path);

                if (!!(row->places & UNASKED_SYSTEM) != (row->path[0] == '/') || row->path[len - 1] == '/' ||
                    strstr(row->path, "//") || strstr(row->path, ".."))
                        fail_msg("%s", row->path);
                if (row->places & UNASKED_WORKSPACE && strpbrk(row->path, "*?"))
                        fail_msg("%s: a wildcard in a workspace", row->path);
                if (!!(row->places & UNASKED_GIT) != (strncmp(row->path, ".git/", 5) == 0))
                        fail_msg("%s: in a repository?", row->path);
        }
}

static bool has(const char *path, unsigned places) {
        for (const struct unasked *row = NULL; (row = unasked_next(row, places));)
                if (strcmp(row->path, path) == 0)
                        return true;
        return false;
}

static void rows_are_found_by_place(void **state) {
        size_t at_top = 0, guarded = 0, all = 0;

        (void)state;
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_WORKSPACE)); at_top++)
                assert_true(row->places & UNASKED_WORKSPACE);
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_GUARDED)); guarded++)
                assert_true(row->places & UNASKED_GUARDED);
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_WORKSPACE | UNASKED_GUARDED));)
                all++;
        assert_int_equal(all, unasked_count);
        assert_true(at_top < all && guarded < all && at_top + guarded >= all);
        assert_null(unasked_next(NULL, 0));
        assert_true(has(".envrc", UNASKED_WORKSPACE) && has(".envrc", UNASKED_HOME));
        assert_true(has(".github/hooks", UNASKED_WORKSPACE) && !has(".github/hooks", UNASKED_HOME));
        assert_true(has("/etc/profile", UNASKED_SYSTEM) && !has("/etc/profile", UNASKED_WORKSPACE));
}

/* What ordinary work writes is run only by those who ask for it. */
static void ordinary_work_is_not_among_them(void **state) {
        const char *const names[] = {
                "Makefile",       "package.json",  ".npmrc",          ".yarnrc.yml", ".cargo", ".config",
                ".github",        ".git",          ".gitignore",      ".tmux.conf",  ".hg",    ".jj",
                ".tool-versions", ".clinerules",   ".python-version", "AGENTS.md",   ".env",   ".vimspector.json",
                ".editorconfig",  "CMakeLists.txt"
        };

        (void)state;
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
                if (has(names[i], UNASKED_WORKSPACE))
                        fail_msg("%s", names[i]);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(sorted_and_unique),
                cmocka_unit_test(every_row_says_where_and_by_what),
                cmocka_unit_test(paths_are_of_their_place),
                cmocka_unit_test(rows_are_found_by_place),
                cmocka_unit_test(ordinary_work_is_not_among_them),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
