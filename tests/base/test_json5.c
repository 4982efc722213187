#include "base/json5.h"

#include "base/json5_parts.h"
#include "tests/base/value_tree_test.h"

static int read_loose(struct str text, struct arena *arena, struct tree_node **ret, struct tree_error *error) {
        return json5_read(text, &json5_all, arena, ret, error);
}

static int read_strict(struct str text, struct arena *arena, struct tree_node **ret, struct tree_error *error) {
        return json5_read(text, &json5_plain, arena, ret, error);
}

/* All rows agree with version 2.2.3 of the reference implementation, but for what json5.h calls intended. */
static void numbers(void **state) {
        static const struct tree_row rows[] = {
                { STR("[0, +1, -1, -0]"), "[0, 1, -1, 0]" },
                { STR("[.5, 5., -.5, +5., 5.e3, .5E-1, 0., 1.0]"),
                  "[0.5, 5.0, -0.5, 5.0, 5000.0, 0.050000000000000003, 0.0, 1.0]" },
                { STR("[0x0, 0xFf, 0XfF, -0x10, +0x10]"), "[0, 255, 255, -16, 16]" },
                { STR("[9223372036854775807, -9223372036854775808, 9007199254740993]"),
                  "[9223372036854775807, -9223372036854775808, 9007199254740993]" },
                { STR("[9223372036854775808, -9223372036854775809, 0xffffffffffffffff]"),
                  "[9.2233720368547758e+18, -9.2233720368547758e+18, 1.8446744073709552e+19]" },
                { STR("[1e400, -1e400, 1e-400]"), "[Infinity, -Infinity, 0.0]" },
                { STR("[Infinity, +Infinity, -Infinity, NaN, -NaN]"), "[Infinity, Infinity, -Infinity, NaN, NaN]" },
                { STR("[1/**/]"), "[1]" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check, read_loose, rows);
}

static void strings(void **state) {
        static const struct tree_row rows[] = {
                { STR("['', \"\", '\"', \"'\"]"), "[\"\", \"\", \"\\\"\", \"'\"]" },
                { STR("'\\b\\f\\n\\r\\t\\v\\0\\\\\\/\\'\\\"'"), "\"\\b\\f\\n\\r\\t\\u000b\\u0000\\\\/'\\\"\"" },
                { STR("'\\x41\\u00e9\\ud83d\\uDE00'"), "\"Aé😀\"" },
                { STR("'\\a\\q\\é\\😀\\U'"), "\"aqé😀U\"" },
                { STR("'a\\\nb\\\r\nc\\\rd\\\u2028e\\\u2029f'"), "\"abcdef\"" },
                { STR("'\u2028\u2029'"), "\"\u2028\u2029\"" },
                { STR("'\t\x01\x7f\0'"), "\"\\t\\u0001\\u007f\\u0000\"" },
                { STR("'\\0a'"), "\"\\u0000a\"" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check, read_loose, rows);
}

static void names(void **state) {
        static const struct tree_row rows[] = {
                { STR("{a: 1, $: 2, _: 3, $_a1: 4}"), "{\"a\": 1, \"$\": 2, \"_\": 3, \"$_a1\": 4}" },
                { STR("{é: 1, 日本: 2, ⅷ: 3, ª: 4, ⸯ: 5, 𐐀: 6}"),
                  "{\"é\": 1, \"日本\": 2, \"ⅷ\": 3, \"ª\": 4, \"ⸯ\": 5, \"𐐀\": 6}" },
                { STR("{a\u0301: 1, a\u200c\u200d: 2, a٣: 3, a‿: 4}"),
                  "{\"a\u0301\": 1, \"a\u200c\u200d\": 2, \"a٣\": 3, \"a‿\": 4}" },
                { STR("{\\u0061\\u00e9: 1, b\\u0031: 2}"), "{\"aé\": 1, \"b1\": 2}" },
                { STR("{null: 1, true: 2, NaN: 3, Infinity: 4, if: 5, __proto__: 6}"),
                  "{\"null\": 1, \"true\": 2, \"NaN\": 3, \"Infinity\": 4, \"if\": 5, \"__proto__\": 6}" },
                { STR("{'a b': 1, \"\": 2, '\\x41': 3}"), "{\"a b\": 1, \"\": 2, \"A\": 3}" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check, read_loose, rows);
}

static void structure(void **state) {
        static const struct tree_row rows[] = {
                { STR("null"), "null" },
                { STR("[true, false, null]"), "[true, false, null]" },
                { STR("[1,]"), "[1]" },
                { STR("{a:1,}"), "{\"a\": 1}" },
                { STR("{a:{b:[{}, []]}}"), "{\"a\": {\"b\": [{}, []]}}" },
                { STR("// c\n1 // d"), "1" },
                { STR("/**/ /* * ** / */ 1 /***/"), "1" },
                { STR("//\r1"), "1" },
                { STR("//\u20281//\u2029"), "1" },
                { STR("{/*a*/b/*c*/:/*d*/1/*e*/,/*f*/}"), "{\"b\": 1}" },
                { STR("\ufeff\t\v\f \u00a0\ufeff\n\r\u2028\u2029\u1680\u2000\u200a\u202f\u205f\u30001"), "1" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check, read_loose, rows);
}

/* The configuration of one of the systems this one takes the place of, as its users have it on disk. */
static void bash_sandbox(void **state) {
        static const struct tree_row rows[] = {
                { STR("{\n"
                      "  bashSandbox: {\n"
                      "    container: {\n"
                      "      enabled: true,\n"
                      "      runtime: \"auto\",              // \"auto\" | \"docker\" | \"podman\" | \"gvisor\"\n"
                      "      image: \"ubuntu:22.04\",\n"
                      "      mountPolicy: \"workdir-only\",  // \"workdir-only\" | \"home\" | \"custom\"\n"
                      "      networkMode: \"none\",\n"
                      "      resourceLimits: {\n        cpus: 2,\n        memoryMb: 512,\n        pidsLimit: 256\n     "
                      " },\n"
                      "      securityFlags: {\n        blockPrivileged: true,\n        blockHostNetwork: true,\n"
                      "        blockRootVolume: true,\n        noNewPrivileges: true,\n"
                      "        dropCapabilities: [\"ALL\"]\n      }\n    }\n  }\n}\n"),
                  "{\"bashSandbox\": {\"container\": {\"enabled\": true, \"runtime\": \"auto\", \"image\": "
                  "\"ubuntu:22.04\", "
                  "\"mountPolicy\": \"workdir-only\", \"networkMode\": \"none\", \"resourceLimits\": {\"cpus\": 2, "
                  "\"memoryMb\": 512, \"pidsLimit\": 256}, \"securityFlags\": {\"blockPrivileged\": true, "
                  "\"blockHostNetwork\": true, \"blockRootVolume\": true, \"noNewPrivileges\": true, "
                  "\"dropCapabilities\": [\"ALL\"]}}}}" },
                { STR("{\n"
                      "  bashSandbox: {\n"
                      "    mode: \"enforce\",                       // \"enforce\" | \"warn\" | \"off\"\n"
                      "    maxCommandLengthBytes: 8192,           // 64–65536\n"
                      "    allowSudo: false,\n"
                      "    allowCurlToArbitraryDomains: false,\n"
                      "    bypassEnvVar: \"MAYROS_BASH_SANDBOX_BYPASS\",\n"
                      "    domainAllowlist: [\"github.com\"],       // Add custom domains\n"
                      "    domainDenylist: [],\n    commandBlocklist: [],\n    commandAllowOverrides: [],\n"
                      "    dangerousPatterns: [],\n"
                      "    container: { /* see above */ },\n"
                      "  }\n}"),
                  "{\"bashSandbox\": {\"mode\": \"enforce\", \"maxCommandLengthBytes\": 8192, \"allowSudo\": false, "
                  "\"allowCurlToArbitraryDomains\": false, \"bypassEnvVar\": \"MAYROS_BASH_SANDBOX_BYPASS\", "
                  "\"domainAllowlist\": [\"github.com\"], \"domainDenylist\": [], \"commandBlocklist\": [], "
                  "\"commandAllowOverrides\": [], \"dangerousPatterns\": [], \"container\": {}}}" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check, read_loose, rows);
}

static void bad_structure(void **state) {
        static const struct tree_bad_row rows[] = {
                { STR(""), 1, 1, "expected a value (a string needs quotes), found the end of the file" },
                { STR("// c\n"), 2, 1, "expected a value" },
                { STR("1 2"), 1, 3, "expected the end of the file after the value, found '2'" },
                { STR("[1 2]"), 1, 4, "expected ',' or ']' in the array of line 1, found '2'" },
                { STR("[\n1,\n"), 3, 1, "expected a value" },
                { STR("[,]"), 1, 2, "expected a value" },
                { STR("[1,,2]"), 1, 4, "expected a value" },
                { STR("{,}"), 1, 2, "expected a key (a name, or a quoted string), found ','" },
                { STR("{a 1}"), 1, 4, "expected ':' after the key \"a\", found '1'" },
                { STR("{a:}"), 1, 4, "expected a value" },
                { STR("{a:1 b:2}"), 1, 6, "expected ',' or '}' in the object of line 1, found 'b'" },
                { STR("{1:1}"), 1, 2, "expected a key" },
                { STR("{a-b:1}"), 1, 3, "expected ':'" },
                { STR("{\\u0031:1}"), 1, 2, "U+0031 needs quotes in a key" },
                { STR("{\\ud801\\udc00:1}"), 1, 2, "U+D801 needs quotes in a key" },
                { STR("{\\x41:1}"), 1, 2, "no escapes but \\u" },
                { STR("{a:1,\n\n 'a':2}"), 3, 2, "duplicate key \"a\", first used on line 1" },
                { STR("{é:1, \"\\u00e9\":2}"), 1, 7, "duplicate key \"\\u{e9}\", first used on line 1" },
                { STR("\n /* x"), 2, 2, "the comment is never closed" },
                { STR("/*/"), 1, 1, "the comment is never closed" },
                { STR("/ 1"), 1, 1, "expected a value" },
                { STR("\xc2\x85 1"), 1, 1, "found character U+0085" },
                { STR("\u200b1"), 1, 1, "found character U+200B" },
                { STR("\ufeff x"), 1, 2, "expected a value" },
                { STR("nul"), 1, 1, "expected a value" },
                { STR("enforce"), 1, 1, "a string needs quotes" },
                { STR("\"\xed\xa0\x80\""), 1, 2, "byte 0xed is not UTF-8" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check_bad, read_loose, rows);
}

static void bad_values(void **state) {
        static const struct tree_bad_row rows[] = {
                { STR("01"), 1, 1, "must not start with 0" },
                { STR("."), 1, 2, "expected a digit after '.'" },
                { STR("+ 1"), 1, 2, "expected a digit, found ' '" },
                { STR("+-1"), 1, 2, "expected a digit" },
                { STR("0x"), 1, 3, "expected a hexadecimal digit" },
                { STR("1e"), 1, 3, "expected a digit in the exponent" },
                { STR("1.5e+"), 1, 6, "expected a digit in the exponent" },
                { STR("0x1.8"), 1, 4, "the end of the file after the value" },
                { STR("1_000"), 1, 2, "the end of the file after the value, found '_'" },
                { STR("-inf"), 1, 2, "expected a digit" },
                { STR("'a"), 1, 1, "the string is never closed" },
                { STR("'a\\"), 1, 1, "the string is never closed" },
                { STR("'a\nb'"), 1, 3, "expected the closing quote of the string, found the end of the line" },
                { STR("'a\rb'"), 1, 3, "found control character U+000D" },
                { STR("'\\1'"), 1, 2, "an escape must not be a number" },
                { STR("'\\00'"), 1, 2, "an escape must not be a number" },
                { STR("'\\x4'"), 1, 2, "\\x needs 2 hexadecimal digits" },
                { STR("'\\u004'"), 1, 2, "\\u needs 4 hexadecimal digits" },
                { STR("'a\\ud800'"), 1, 3, "\\uD800 is half of a surrogate pair" },
                { STR("'\\ude00\\ud83d'"), 1, 2, "\\uDE00 is half of a surrogate pair" },
                { STR("'\\ud83d\\u0041'"), 1, 2, "\\uD83D is half of a surrogate pair" },
                { STR("'\\ud83d\\u00'"), 1, 8, "\\u needs 4 hexadecimal digits" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check_bad, read_loose, rows);
}

static void plain_json(void **state) {
        static const struct tree_row good[] = {
                { STR(" {\"a\" : [ 1 , -2.5e+3, true, null ] }\r\n\t"), "{\"a\": [1, -2500.0, true, null]}" },
                { STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\x7f\""), "\"\\\"\\\\/\\b\\f\\n\\r\\té😀\\u007f\"" },
                { STR("-0"), "0" },
        };
        static const struct tree_bad_row bad[] = {
                { STR("// c\n1"), 1, 1, "JSON has no comments" },
                { STR("[1 /* c */]"), 1, 4, "JSON has no comments" },
                { STR("[1,]"), 1, 4, "JSON has no trailing commas" },
                { STR("{\"a\":1,}"), 1, 8, "JSON has no trailing commas" },
                { STR("{a:1}"), 1, 2, "a key in double quotes" },
                { STR("{'a':1}"), 1, 2, "a key in double quotes" },
                { STR("'a'"), 1, 1, "a string needs double quotes" },
                { STR("+1"), 1, 1, "expected a value" },
                { STR(".5"), 1, 1, "expected a value" },
                { STR("5."), 1, 3, "expected a digit after '.'" },
                { STR("-.5"), 1, 2, "expected a digit" },
                { STR("0x1"), 1, 2, "the end of the file" },
                { STR("Infinity"), 1, 1, "expected a value" },
                { STR("-NaN"), 1, 2, "expected a digit" },
                { STR("\"\t\""), 1, 2, "no control characters in a string, found a tab" },
                { STR("\"\\x41\""), 1, 2, "unknown escape" },
                { STR("\"\\'\""), 1, 2, "unknown escape" },
                { STR("\"\\v\""), 1, 2, "unknown escape" },
                { STR("\"\\\n\""), 1, 2, "unknown escape" },
                { STR("\u00a01"), 1, 1, "expected a value" },
                { STR("\f1"), 1, 1, "expected a value" },
                { STR("\ufeff1"), 1, 1, "found a byte order mark" },
                { STR("{\"a\":1,\"\\u0061\":2}"), 1, 8, "duplicate key \"a\", first used on line 1" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check, read_strict, good);
        TREE_CHECK_ALL(tree_check_bad, read_strict, bad);
}

static void places(void **state) {
        ARENA_AUTO arena;
        struct tree_node *root;
        const struct tree_node *node;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(json5_read(STR("\ufeff{é: '日',\r\n\tb: [1,\n2]}"), &json5_all, &arena, &root, NULL), 0);
        assert_int_equal(root->at.column, 1);
        assert_int_equal(root->first->key_at.column, 2);
        assert_int_equal(root->first->at.column, 5);
        node = tree_get(root, STR("b"));
        assert_int_equal(node->key_at.line, 2);
        assert_int_equal(node->key_at.column, 2);
        assert_int_equal(node->at.column, 5);
        assert_int_equal(node->last->at.line, 3);
        assert_int_equal(node->last->at.column, 1);
}

static void depth(void **state) {
        static const struct { const char *open, *close; } rows[] = { { "[", "]" }, { "{a:", "}" } };

        (void)state;
        for (size_t i = 0; i < 4; i++) {
                const size_t count = TREE_DEPTH_MAX + i / 2;
                struct buf text = tree_repeat(count, rows[i % 2].open, NULL);
                ARENA_AUTO arena;
                struct tree_node *root;
                struct tree_error error = { 0 };

                arena_init(&arena, 0);
                buf_append(&text, STR("1"));
                for (size_t n = 0; n < count; n++)
                        buf_append(&text, str_z(rows[i % 2].close));
                assert_int_equal(json5_read(buf_str(&text), &json5_all, &arena, &root, &error), i < 2 ? 0 : -1);
                assert_int_equal(error.code, i < 2 ? ERR_NONE : ERR_TOO_COMPLEX);
                buf_free(&text);
        }
}

/* Keys that are each other's beginnings, differ late, in one bit, or in length only. */
static void similar_keys(void **state) {
        BUF_AUTO text;
        ARENA_AUTO arena;
        struct tree_node *root;
        char key[300];
        size_t number = 0;

        (void)state;
        buf_init(&text, TREE_TEXT_MAX);
        arena_init(&arena, 0);
        buf_char(&text, '{');
        memset(key, 'a', sizeof(key));
        for (size_t len = 0; len < sizeof(key); len += 7)
                for (const char *last = "abcpq\1\2\3"; *last; last++)
                        buf_format(&text, "'%.*s%c': %zu,", (int)len, key, *last, number++);
        buf_append(&text, STR("'': -1, '\\0': -2, '\\0\\0': -3, 'aa\\0': -4}"));
        assert_int_equal(json5_read(buf_str(&text), &json5_all, &arena, &root, NULL), 0);
        assert_int_equal(root->count, number + 4);
        TREE_EACH(node, root)
        assert_ptr_equal(tree_get(root, node->key), node);
        assert_int_equal(tree_get(root, STR(""))->integer, -1);
        assert_int_equal(tree_get(root, STR("\0"))->integer, -2);
        assert_int_equal(tree_get(root, STR("aa\0"))->integer, -4);
        assert_null(tree_get(root, STR("aa")));
        assert_null(tree_get(root, STR("\0\0\0")));
        assert_null(tree_get(root, str_from(key, sizeof(key))));
}

static void check_ranges(const struct json5_range *ranges, size_t count) {
        for (size_t i = 0; i < count; i++) {
                assert_true(ranges[i].first <= ranges[i].last && ranges[i].first >= 0x80);
                if (i)
                        assert_true(ranges[i].first > ranges[i - 1].last);
        }
}

static void unicode_tables(void **state) {
        (void)state;
        check_ranges(json5_letters, json5_letters_count);
        check_ranges(json5_marks, json5_marks_count);
        for (size_t i = 0; i < json5_marks_count; i++) {
                assert_false(json5_is_letter(json5_marks[i].first) || json5_is_letter(json5_marks[i].last));
                assert_true(json5_is_name(json5_marks[i].first) && json5_is_name(json5_marks[i].last));
        }
        assert_true(json5_is_letter(json5_letters[0].first) && json5_is_letter(json5_letters[json5_letters_count - 1].last));
        assert_false(json5_is_name(json5_letters[json5_letters_count - 1].last + 1));
        assert_false(json5_is_letter('1') || json5_is_name('-') || json5_is_name(0) || json5_is_name(0xd800));
}

/* Wherever memory ends, it ends with a message. The most values that fit into a file, and their index, fit into memory.
 */
static void memory(void **state) {
        struct buf text = tree_repeat(TREE_TEXT_MAX / 2 - 1, "1,", NULL);
        int failed = 0;

        (void)state;
        memcpy(text.ptr, "[0", 2);
        text.ptr[2] = ' '; /* "[0 ,1,1,...,1," */
        text.ptr[3] = ',';
        buf_char(&text, ']');
        for (size_t limit = 1024; limit <= (size_t)256 << 20; limit *= 4) {
                ARENA_AUTO arena;
                struct tree_node *root;
                struct tree_error error = { 0 };

                arena_init(&arena, limit);
                if (json5_read(buf_str(&text), &json5_all, &arena, &root, &error) < 0) {
                        assert_int_equal(error.code, ERR_MEMORY);
                        failed++;
                } else {
                        assert_int_equal(root->count, TREE_TEXT_MAX / 2 - 2);
                }
        }
        assert_in_range(failed, 4, 9);
        buf_free(&text);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(numbers),    cmocka_unit_test(strings),      cmocka_unit_test(names),
                cmocka_unit_test(structure),  cmocka_unit_test(bash_sandbox), cmocka_unit_test(bad_structure),
                cmocka_unit_test(bad_values), cmocka_unit_test(plain_json),   cmocka_unit_test(places),
                cmocka_unit_test(depth),      cmocka_unit_test(similar_keys), cmocka_unit_test(unicode_tables),
                cmocka_unit_test(memory),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
