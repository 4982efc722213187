#include "tests/test.h"

#include "base/str.h"

static const struct str nothing = { NULL, 0 };

static void equality(void **state) {
        (void)state;
        assert_true(str_eq(STR("ab"), str_from("abc", 2)));
        assert_false(str_eq(STR("ab"), STR("abc")));
        assert_false(str_eq(STR("ab"), STR("aB")));
        assert_true(str_eq(nothing, STR("")));
        assert_true(str_eq(STR("a\0b"), STR("a\0b")));
        assert_false(str_eq(STR("a\0b"), STR("a\0c")));
        assert_true(str_is(STR("rm"), "rm"));
        assert_false(str_is(STR("rm"), "rmdir"));
        assert_false(str_is(STR("rm\0"), "rm"));
        assert_true(str_is(nothing, ""));
        assert_true(str_eq(str_z("rm"), STR("rm")));
}

static void equality_without_case(void **state) {
        (void)state;
        assert_true(str_eq_nocase(STR("Path"), STR("pATH")));
        assert_false(str_eq_nocase(STR("path"), STR("paths")));
        assert_true(str_eq_nocase(nothing, nothing));
        assert_false(str_eq_nocase(STR("["), STR("{"))); /* differ in the bit that letters differ in */
        assert_false(str_eq_nocase(STR("\xc4"), STR("\xe4")));
}

static void order(void **state) {
        (void)state;
        assert_true(str_cmp(STR("a"), STR("b")) < 0);
        assert_true(str_cmp(STR("ab"), STR("a")) > 0);
        assert_true(str_cmp(STR("a"), STR("ab")) < 0);
        assert_int_equal(str_cmp(STR("ab"), STR("ab")), 0);
        assert_int_equal(str_cmp(nothing, nothing), 0);
        assert_true(str_cmp(nothing, STR("a")) < 0);
        assert_true(str_cmp(STR("\xff"), STR("a")) > 0); /* bytes are unsigned */
}

static void start_and_end(void **state) {
        (void)state;
        assert_true(str_starts(STR("--force"), STR("--")));
        assert_false(str_starts(STR("-"), STR("--")));
        assert_true(str_starts(STR("x"), nothing));
        assert_true(str_starts(nothing, nothing));
        assert_true(str_ends(STR("a.tar.gz"), STR(".gz")));
        assert_false(str_ends(STR("gz"), STR(".gz")));
        assert_true(str_ends(nothing, nothing));
}

static void trim(void **state) {
        static const char *const texts[][2] = {
                { "", "" }, { " \t ", "" }, { "a", "a" }, { "\t a b\t ", "a b" }, { "\na ", "\na" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
                assert_true(str_is(str_trim(str_z(texts[i][0])), texts[i][1]));
        assert_int_equal(str_trim((struct str){}).len, 0);
}

static void find(void **state) {
        (void)state;
        assert_int_equal(str_find(STR("a=b=c"), '='), 1);
        assert_int_equal(str_find(STR("abc"), '='), 3);
        assert_int_equal(str_find(nothing, '='), 0);
        assert_int_equal(str_find(str_from("abc", 2), 'c'), 2);
}

static void parts_are_clamped(void **state) {
        (void)state;
        assert_str_equal(str_skip(STR("abc"), 1), STR("bc"));
        assert_str_equal(str_skip(STR("abc"), 3), STR(""));
        assert_str_equal(str_skip(STR("abc"), 9), STR(""));
        assert_str_equal(str_skip(nothing, 1), nothing);
        assert_str_equal(str_take(STR("abc"), 2), STR("ab"));
        assert_str_equal(str_take(STR("abc"), 9), STR("abc"));
        assert_str_equal(str_take(nothing, 1), nothing);
}

static void ascii_only(void **state) {
        int digits = 0, letters = 0, both = 0;

        (void)state;
        for (int c = 0; c < 256; c++) {
                unsigned char byte = (unsigned char)c;

                digits += is_ascii_digit(byte);
                letters += is_ascii_alpha(byte);
                both += is_ascii_alnum(byte);
                assert_true(is_ascii_alpha(byte) || (ascii_lower(byte) == c && ascii_upper(byte) == c));
        }
        assert_int_equal(digits, 10);
        assert_int_equal(letters, 52);
        assert_int_equal(both, 62);
        assert_int_equal(ascii_lower('Z'), 'z');
        assert_int_equal(ascii_upper('a'), 'A');
}

static void utf8(void **state) {
        static const struct {
                struct str bytes;
                size_t len;
        } rows[] = {
                { STR(""), 0 },
                { STR("a"), 1 },
                { STR("\0"), 1 },
                { STR("\x7f"), 1 },
                { STR("\x80"), 0 },     /* a continuation alone */
                { STR("\xc0\x80"), 0 }, /* overlong NUL */
                { STR("\xc1\xbf"), 0 },
                { STR("\xc2\x80"), 2 },
                { STR("\xc2"), 0 },  /* cut */
                { STR("\xc2z"), 0 }, /* a letter instead of a continuation */
                { STR("\xdf\xbfx"), 2 },
                { STR("\xe0\x9f\xbf"), 0 }, /* overlong */
                { STR("\xe0\xa0\x80"), 3 },
                { STR("\xe2\x82"), 0 }, /* cut */
                { STR("\xe2\x82z"), 0 },
                { STR("\xed\x9f\xbf"), 3 }, /* U+D7FF */
                { STR("\xed\xa0\x80"), 0 }, /* a surrogate */
                { STR("\xed\xbf\xbf"), 0 },
                { STR("\xee\x80\x80"), 3 },
                { STR("\xf0\x8f\xbf\xbf"), 0 }, /* overlong */
                { STR("\xf0\x90\x80\x80"), 4 },
                { STR("\xf0\x9f\x98"), 0 }, /* cut */
                { STR("\xf4\x8f\xbf\xbf"), 4 },
                { STR("\xf4\x90\x80\x80"), 0 }, /* past U+10FFFF */
                { STR("\xf5\x80\x80\x80"), 0 },
                { STR("\xff"), 0 },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                assert_int_equal(str_utf8(rows[i].bytes), rows[i].len);
}

static void visible(void **state) {
        static const struct {
                struct str text, shown;
                size_t taken;
        } rows[] = {
                { STR("ab"), STR("a"), 1 },
                { STR("\xe2\x82\xacx"), STR("\xe2\x82\xac"), 3 },
                { STR("\n"), STR("\\n"), 1 },
                { STR("\tx"), STR("\\t"), 1 },
                { STR("\x1b[m"), STR("\\x1b"), 1 },
                { STR("\0"), STR("\\x00"), 1 },
                { STR("\x7f"), STR("\\x7f"), 1 },
                { STR("\xc2\x9b"), STR("\\u009b"), 2 }, /* a control character of its own */
                { STR("\xc2\xa0"), STR("\\u00a0"), 2 },
                { STR("\xc2\xa1"), STR("\xc2\xa1"), 2 },
                { STR("\xe2\x80\xaex"), STR("\\u202e"), 3 },
                { STR("\xe2\x81\xa6"), STR("\\u2066"), 3 },
                { STR("\xe2\x80\x8b"), STR("\\u200b"), 3 },
                { STR("\xef\xbb\xbf"), STR("\\ufeff"), 3 },
                { STR("\xf3\xa0\x81\x81"), STR("\\U000e0041"), 4 },
                { STR("\xf4\x8f\xbf\xbf"), STR("\\U0010ffff"), 4 },
                { STR("\xf0\x9f\x98\x80"), STR("\xf0\x9f\x98\x80"), 4 },
                { STR("\xef\xbf\xbd"), STR("\xef\xbf\xbd"), 3 },
                { STR("\xe2\x80"), STR("\\xe2"), 1 },
                { STR("\xff"), STR("\\xff"), 1 },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                char room[STR_VISIBLE_SIZE];
                size_t taken;

                assert_str_equal(str_visible(rows[i].text, room, &taken), rows[i].shown);
                assert_int_equal(taken, rows[i].taken);
        }
}

static void words(void **state) {
        (void)state;
        assert_true(in_words("cat grep cut", STR("cat")));
        assert_true(in_words("cat grep cut", STR("cut")));
        assert_false(in_words("cat grep cut", STR("ca")));
        assert_false(in_words("cat grep cut", STR("cat grep")) && in_words("cat grep cut", STR("cats")));
        assert_false(in_words("cat grep cut", nothing));
        assert_false(in_words("", STR("cat")));
}

static void decoding(void **state) {
        char out[16];

        (void)state;
        assert_int_equal(hex_decode(STR("726D"), out), 2);
        assert_memory_equal(out, "rm", 2);
        assert_int_equal(hex_decode(STR("6d6D"), out), 2);
        assert_memory_equal(out, "mm", 2);
        assert_int_equal(hex_decode(STR("726"), out), 0);
        assert_int_equal(hex_decode(STR("rm"), out), 0);
        assert_int_equal(base64_decode(STR("cm0gLXI="), out), 5);
        assert_memory_equal(out, "rm -r", 5);
        assert_int_equal(base64_decode(STR("c m0"), out), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(equality),   cmocka_unit_test(equality_without_case),
                cmocka_unit_test(order),      cmocka_unit_test(start_and_end),
                cmocka_unit_test(words),      cmocka_unit_test(decoding),
                cmocka_unit_test(find),       cmocka_unit_test(parts_are_clamped),
                cmocka_unit_test(ascii_only), cmocka_unit_test(utf8),
                cmocka_unit_test(visible),    cmocka_unit_test(trim),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
