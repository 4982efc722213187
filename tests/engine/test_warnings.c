/*
 * How often a session is warned of the same thing.
 */
#include "tests/test.h"

#include "base/time.h"
#include "engine/pipeline/run.h"

/* Once a minute, and each of its warnings by itself. */
static void once_a_minute(void **state) {
        int64_t warned[WARNING_COUNT] = {}, other[WARNING_COUNT] = {};
        struct run run = {};

        (void)state;
        run.lent.warned = warned;
        assert_true(run_may_warn(&run, WARNING_NO_SANDBOX));
        assert_false(run_may_warn(&run, WARNING_NO_SANDBOX));
        assert_true(run_may_warn(&run, WARNING_HOME));
        warned[WARNING_NO_SANDBOX] = time_monotonic() - TIME_SECOND;
        assert_false(run_may_warn(&run, WARNING_NO_SANDBOX));
        warned[WARNING_NO_SANDBOX] = time_monotonic() - 60 * TIME_SECOND;
        assert_true(run_may_warn(&run, WARNING_NO_SANDBOX));
        assert_false(run_may_warn(&run, WARNING_NO_SANDBOX));
        run.lent.warned = other;
        assert_true(run_may_warn(&run, WARNING_NO_SANDBOX));
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(once_a_minute) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
