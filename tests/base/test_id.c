#include "tests/test.h"

#include <string.h>

#include "base/id.h"

static void hex(void **state) {
        char text[9];

        (void)state;
        id_hex(STR("\x00\x9f\xa0\xff"), text);
        assert_string_equal(text, "009fa0ff");
        id_hex(STR(""), text);
        assert_string_equal(text, "");
}

static void ids_are_version_4_uuids(void **state) {
        char id[ID_SIZE];

        (void)state;
        for (int round = 0; round < 100; round++) {
                assert_int_equal(id_new(id, NULL), 0);
                assert_int_equal(strlen(id), 36);
                for (size_t i = 0; i < 36; i++) {
                        if (i == 8 || i == 13 || i == 18 || i == 23)
                                assert_int_equal(id[i], '-');
                        else
                                assert_non_null(strchr("0123456789abcdef", id[i]));
                }
                assert_int_equal(id[14], '4');
                assert_non_null(strchr("89ab", id[19]));
        }
}

static void ids_differ(void **state) {
        char a[ID_SIZE], b[ID_SIZE];

        (void)state;
        assert_int_equal(id_new(a, NULL), 0);
        assert_int_equal(id_new(b, NULL), 0);
        assert_string_not_equal(a, b);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(hex),
                cmocka_unit_test(ids_are_version_4_uuids),
                cmocka_unit_test(ids_differ),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
