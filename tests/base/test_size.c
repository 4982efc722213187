#include "tests/test.h"

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

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(sizes) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
