#include "tests/test.h"

#include <jansson.h>
#include <string.h>

#include "base/buf.h"

static void append_and_char(void **state) {
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, 1000);
        assert_str_equal(buf_str(&buf), STR(""));
        buf_append(&buf, STR("a\0b"));
        buf_char(&buf, '!');
        buf_append(&buf, (struct str){ NULL, 0 });
        assert_str_equal(buf_str(&buf), STR("a\0b!"));
        assert_false(buf.failed);
}

static void grows_and_keeps_content(void **state) {
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, 100000);
        for (int i = 0; i < 100000; i++)
                buf_char(&buf, (char)('a' + i % 26));
        assert_false(buf.failed);
        assert_int_equal(buf.len, 100000);
        for (int i = 0; i < 100000; i++)
                assert_int_equal(buf.ptr[i], 'a' + i % 26);
}

static void maximum_holds(void **state) {
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, 5);
        buf_append(&buf, STR("abcde"));
        assert_false(buf.failed);
        buf_char(&buf, 'f');
        assert_true(buf.failed);
        assert_str_equal(buf_str(&buf), STR("abcde"));
}

static void nothing_is_written_after_a_failure(void **state) {
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, 5);
        buf_append(&buf, STR("ab"));
        buf_append(&buf, STR("too long"));
        buf_append(&buf, STR("c"));
        buf_char(&buf, 'd');
        buf_format(&buf, "%d", 1);
        buf_json(&buf, STR(""));
        assert_true(buf.failed);
        assert_str_equal(buf_str(&buf), STR("ab"));
        buf_clear(&buf);
        buf_append(&buf, STR("fresh"));
        assert_false(buf.failed);
        assert_str_equal(buf_str(&buf), STR("fresh"));
}

static void extreme_maxima(void **state) {
        BUF_AUTO none, all;

        (void)state;
        buf_init(&none, 0);
        buf_append(&none, STR(""));
        assert_false(none.failed);
        buf_char(&none, 'x');
        assert_true(none.failed);
        buf_init(&all, SIZE_MAX);
        buf_append(&all, STR("x"));
        assert_false(all.failed);
        buf_append(&all, str_from("x", SIZE_MAX));
        assert_true(all.failed);
}

static void no_memory_is_a_failure(void **state) {
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, SIZE_MAX);
        buf_append(&buf, STR("x"));
        buf_append(&buf, str_from("y", SIZE_MAX / 4)); /* no allocator has that much */
        assert_true(buf.failed);
        assert_str_equal(buf_str(&buf), STR("x"));
}

static void format(void **state) {
        BUF_AUTO buf, exact;

        (void)state;
        buf_init(&buf, 10000);
        buf_format(&buf, "%s=%d", "x", 42);
        buf_format(&buf, "%s", "");
        buf_format(&buf, "%1000d", 7); /* longer than what is allocated at first */
        assert_int_equal(buf.len, 1004);
        assert_memory_equal(buf.ptr, "x=42   ", 7);
        buf_init(&exact, 4);
        buf_format(&exact, "%d", 1234);
        assert_false(exact.failed);
        buf_format(&exact, "%d", 5);
        assert_true(exact.failed);
        assert_str_equal(buf_str(&exact), STR("1234"));
}

static void freed_can_be_used_again(void **state) {
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, 10);
        buf_append(&buf, STR("old"));
        buf_free(&buf);
        assert_int_equal(buf.len, 0);
        buf_append(&buf, STR("new"));
        assert_str_equal(buf_str(&buf), STR("new"));
}

#define BAD "\xef\xbf\xbd"

static void json_strings(void **state) {
        static const struct {
                struct str in, out;
        } rows[] = {
                { STR(""), STR("\"\"") },
                { STR("plain /'<>"), STR("\"plain /'<>\"") },
                { STR("\"\\"), STR("\"\\\"\\\\\"") },
                { STR("\b\f\n\r\t"), STR("\"\\b\\f\\n\\r\\t\"") },
                { STR("\0\x01\x1b\x1f\x7f"), STR("\"\\u0000\\u0001\\u001b\\u001f\\u007f\"") },
                { STR("\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0"), STR("\"\\u0080\\u009b\\u009f\xc2\xa0\"") },
                { STR("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"), STR("\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"") },
                { STR("\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"), STR("\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"") },
                { STR("a\x80z"), STR("\"a" BAD "z\"") },
                { STR("\xff\xfe"), STR("\"" BAD BAD "\"") },
                { STR("\xc0\x80"), STR("\"" BAD BAD "\"") },                 /* overlong */
                { STR("\xe0\x80\xaf"), STR("\"" BAD BAD BAD "\"") },         /* overlong */
                { STR("\xed\xa0\x80"), STR("\"" BAD BAD BAD "\"") },         /* a surrogate */
                { STR("\xf4\x90\x80\x80"), STR("\"" BAD BAD BAD BAD "\"") }, /* past U+10FFFF */
                { STR("\xe2\x82"), STR("\"" BAD BAD "\"") },                 /* cut at the end */
                { STR("\xe2\x82\""), STR("\"" BAD BAD "\\\"\"") },           /* cut before a quote */
                { STR("\xc2"), STR("\"" BAD "\"") },
                { STR("\xc2\x1b"), STR("\"" BAD "\\u001b\"") },
                { STR("\xc2\""), STR("\"" BAD "\\\"\"") },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                BUF_AUTO buf;

                buf_init(&buf, 1000);
                buf_json(&buf, rows[i].in);
                assert_str_equal(buf_str(&buf), rows[i].out);
        }
}

/* Every pair of bytes gives JSON that a strict reader takes, and UTF-8 comes back as it was. */
static void json_is_read_back(void **state) {
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, 1000);
        for (int n = 0; n < 65536; n++) {
                char in[] = { (char)(n >> 8), (char)n };
                json_t *value;

                buf_clear(&buf);
                buf_json(&buf, str_from(in, 2));
                value = json_loadb(buf.ptr, buf.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
                assert_non_null(value);
                if (str_utf8(str_from(in, 2)) == 2 || (in[0] > 0 && in[1] > 0)) {
                        assert_int_equal(json_string_length(value), 2);
                        assert_memory_equal(json_string_value(value), in, 2);
                }
                json_decref(value);
        }
}

static void json_is_all_or_nothing(void **state) {
        (void)state;
        for (size_t max = 1; max < 12; max++) {
                BUF_AUTO buf;

                buf_init(&buf, max);
                buf_char(&buf, '>');
                buf_json(&buf, STR("ab\ncd\x01")); /* 14 bytes with the quotes */
                assert_true(buf.failed);
                assert_str_equal(buf_str(&buf), STR(">"));
        }
}

static void visible(void **state) {
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, 1000);
        buf_visible(&buf, STR("a\xc3\xa4\x1b[31m\n\t\x7f\xff\xc2\x9b"));
        assert_str_equal(buf_str(&buf), STR("a\xc3\xa4\\x1b[31m\\n\\t\\x7f\\xff\\u009b"));
        buf_visible(&buf, STR(""));
        assert_false(buf.failed);
}

static void columns(void **state) {
        BUF_AUTO buf;

        (void)state;
        buf_init(&buf, 100);
        buf_columns(&buf, STR("a\xc3\xa4\t\x1b\n\x7f\xff\xc2\x9b\xe2\x80\xae\xf0\x9f\x98\x80."));
        assert_str_equal(buf_str(&buf), STR("a\xc3\xa4\t??????\xf0\x9f\x98\x80."));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(append_and_char),
                cmocka_unit_test(grows_and_keeps_content),
                cmocka_unit_test(maximum_holds),
                cmocka_unit_test(nothing_is_written_after_a_failure),
                cmocka_unit_test(extreme_maxima),
                cmocka_unit_test(no_memory_is_a_failure),
                cmocka_unit_test(format),
                cmocka_unit_test(freed_can_be_used_again),
                cmocka_unit_test(json_strings),
                cmocka_unit_test(json_is_read_back),
                cmocka_unit_test(json_is_all_or_nothing),
                cmocka_unit_test(visible),
                cmocka_unit_test(columns),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
