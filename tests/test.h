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

#define assert_str_equal(a, b)                                       \
        do {                                                         \
                struct str a_ = (a), b_ = (b);                       \
                assert_int_equal(a_.len, b_.len);                    \
                if (a_.len)                                          \
                        assert_memory_equal(a_.ptr, b_.ptr, a_.len); \
        } while (0)

#endif
