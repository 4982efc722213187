/*
 * Memory that children do not get.
 */
#include "tests/test.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pages.h"

enum { LARGE = 3 << 20, SMALL = 1000 };

/* Whether a child has it: the kernel tells, where to look would end the child. */
static bool child_has(const char *memory) {
        int ends[2], status;
        pid_t pid;

        assert_int_equal(pipe(ends), 0);
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
                _exit(write(ends[1], memory, 1) == 1 ? 1 : errno == EFAULT ? 2 : 3);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        close(ends[0]);
        close(ends[1]);
        assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 1 || WEXITSTATUS(status) == 2));
        return WEXITSTATUS(status) == 1;
}

static void large_memory_stays_here(void **state) {
        char *large = pages_new(LARGE), *small = pages_new(SMALL);

        (void)state;
        assert_non_null(large);
        assert_non_null(small);
        memset(large, 'x', LARGE);
        memset(small, 'x', SMALL);
        assert_false(child_has(large));
        assert_false(child_has(large + LARGE - 1));
        assert_true(child_has(small));
        assert_int_equal(large[LARGE - 1], 'x');
        pages_free(large, LARGE);
        pages_free(small, SMALL);
        pages_free(NULL, SMALL);
        pages_free(NULL, LARGE);
}

static void what_is_not_there_is_not_given(void **state) {
        (void)state;
        assert_null(pages_new((size_t)1 << 60));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(large_memory_stays_here),
                cmocka_unit_test(what_is_not_there_is_not_given),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
