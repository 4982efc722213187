/*
 * What every unit test includes: cmocka with the headers it wants before it, and how to compare our types.
 */
#ifndef BAILEY_TESTS_TEST_H
#define BAILEY_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "tests/only.h"

/* Runs those of the tests that are wanted, in this order. */
static inline int test_run_group(const char *group, const struct CMUnitTest *tests, size_t count, CMFixtureFunction setup,
                                 CMFixtureFunction teardown) {
        struct CMUnitTest *wanted;
        size_t n = 0;
        int result = 0;

        if (!only_some())
                return _cmocka_run_group_tests(group, tests, count, setup, teardown);
        wanted = calloc(count, sizeof(*wanted));
        for (size_t i = 0; wanted && i < count; i++)
                if (only_wants(tests[i].name))
                        wanted[n++] = tests[i];
        if (!wanted)
                return 1;
        if (n)
                result = _cmocka_run_group_tests(group, wanted, n, setup, teardown);
        else
                printf("1..0\n");
        free(wanted);
        return result;
}

#undef cmocka_run_group_tests_name
#define cmocka_run_group_tests_name(group, tests, setup, teardown) \
        test_run_group(group, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown) cmocka_run_group_tests_name(#tests, tests, setup, teardown)

#define assert_str_equal(a, b)                                       \
        do {                                                         \
                struct str a_ = (a), b_ = (b);                       \
                assert_int_equal(a_.len, b_.len);                    \
                if (a_.len)                                          \
                        assert_memory_equal(a_.ptr, b_.ptr, a_.len); \
        } while (0)

#endif
