#include "tests/test.h"

#include <math.h>

#include "base/number.h"

static void sizes(void **state) {
        static const struct {
                uint64_t bytes;
                const char *text;
        } cases[] = {
                { 0, "0 bytes" },
                { 1, "1 byte" },
                { 1023, "1023 bytes" },
                { 1024, "1 KiB" },
                { 1536, "1.5 KiB" },
                { (1 << 20) - 1, "1023.9 KiB" },
                { UINT64_C(10) << 30, "10 GiB" },
                { UINT64_C(9986000000), "9.3 GiB" },
                { UINT64_MAX, "15.9 EiB" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char text[SIZE_TEXT_SIZE];

                size_format(cases[i].bytes, text);
                assert_string_equal(text, cases[i].text);
        }
}

static void numbers(void **state) {
        static const struct {
                double value;
                int digits;
                const char *text;
        } cases[] = {
                { 0, 6, "0" },
                { 0.5, 6, "0.5" },
                { -1.25, 17, "-1.25" },
                { 1e300, 15, "1e+300" },
                { -2.5e-7, 10, "-2.5e-07" },
                { INFINITY, 6, "inf" },
                { -0x1.fffffffffffffp+1023, 17, "-1.7976931348623157e+308" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                char text[NUMBER_SIZE];

                number_format(cases[i].value, cases[i].digits, text);
                assert_string_equal(text, cases[i].text);
        }
}

static void size_texts(void **state) {
        (void)state;
        assert_int_equal(size_parse(STR("12")), 12);
        assert_int_equal(size_parse(STR("64k")), 64 << 10);
        assert_int_equal(size_parse(STR("2GiB")), INT64_C(2) << 30);
        assert_int_equal(size_parse(STR("x")), 0);
        assert_true(size_parse(STR("99999999999999999999E")) >= UINT64_C(1) << 40);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(sizes), cmocka_unit_test(size_texts), cmocka_unit_test(numbers) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
