#include "tests/test.h"

#include <stdlib.h>
#include <time.h>

#include "base/time.h"

static void monotonic_never_goes_back(void **state) {
        int64_t before = time_monotonic();

        (void)state;
        assert_true(before > 0);
        for (int i = 0; i < 1000; i++) {
                int64_t now = time_monotonic();

                assert_true(now >= before);
                before = now;
        }
}

static void realtime_is_the_time_of_day(void **state) {
        time_t before = time(NULL);
        int64_t now = time_realtime();

        (void)state;
        assert_true(now / TIME_SECOND >= before - 1); /* time() may read a coarser clock */
        assert_true(now / TIME_SECOND <= before + 60);
}

static void formats(void **state) {
        static const struct {
                int64_t ns;
                const char *text;
        } rows[] = {
                { 0, "1970-01-01T00:00:00.000Z" },
                { 999999, "1970-01-01T00:00:00.000Z" }, /* cut, not rounded */
                { 1000000, "1970-01-01T00:00:00.001Z" },
                { -1, "1969-12-31T23:59:59.999Z" },
                { -TIME_SECOND, "1969-12-31T23:59:59.000Z" },
                { 951782400 * TIME_SECOND, "2000-02-29T00:00:00.000Z" },
                { 1735689599 * TIME_SECOND + 999999999, "2024-12-31T23:59:59.999Z" },
                { INT64_MAX, "2262-04-11T23:47:16.854Z" },
                { INT64_MIN, "1677-09-21T00:12:43.145Z" },
        };
        char text[TIME_TEXT_SIZE];

        (void)state;
        setenv("TZ", "America/New_York", 1); /* must not matter */
        tzset();
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                time_format(rows[i].ns, text);
                assert_string_equal(text, rows[i].text);
        }
}

static void every_day_is_that_of_the_calendar(void **state) {
        (void)state;
        for (int64_t day = -106000; day <= 106000; day++) {
                char text[TIME_TEXT_SIZE], expected[TIME_TEXT_SIZE];
                time_t seconds = (time_t)(day * 86400 + 3661);
                struct tm utc;

                assert_non_null(gmtime_r(&seconds, &utc));
                assert_int_not_equal(strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%S.000Z", &utc), 0);
                time_format((int64_t)seconds * TIME_SECOND, text);
                assert_string_equal(text, expected);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(monotonic_never_goes_back),
                cmocka_unit_test(realtime_is_the_time_of_day),
                cmocka_unit_test(formats),
                cmocka_unit_test(every_day_is_that_of_the_calendar),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
