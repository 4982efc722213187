/*
 * The texts of settings files: which are read, and how a change of one is shown.
 */
#include "tests/test.h"

#include <string.h>

#include "hook/json.h"
#include "hook/settings.h"

static const struct hook_agent plain, commented = { .comments = true };
static const struct hook_agent off = { .off_path = "a.b", .off_value = true }, off_if_false = { .off_path = "c" };

static void finding(void **state) {
        struct json5_file file;
        struct err err;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(settings_parse(&plain, STR("{\"\\u0061\": {\"b\": true}, \"c\": false}"), &arena, &file, &err), 0);
        assert_true(settings_hooks_off(file.root, &off));
        assert_true(settings_hooks_off(file.root, &off_if_false));
        assert_false(settings_hooks_off(file.root, &plain));
        assert_int_equal(settings_parse(&commented, STR("\xef\xbb\xbf{\"a\": [], // x\n\"c\": true}"), &arena, &file, &err), 0);
        assert_false(settings_hooks_off(file.root, &off));
        assert_false(settings_hooks_off(file.root, &off_if_false));
}

static void not_read(void **state) {
        static const struct {
                const char *text, *message;
        } broken[] = {
                { "", "line 1, column 1: expected a value" },
                { "{", "line 1, column 2: expected a key in double quotes" },
                { "[]", "not a JSON object" },
                { "{\"a\":1,}", "line 1, column 8: " },
                { "{\"a\" 1}", "line 1, column 6: expected ':' after the key \"a\"" },
                { "{\"a\":1} x", "line 1, column 9: " },
                { "{'a':1}", "line 1, column 2: " },
                { "{\"a\":1,\n\"a\":2}", "line 2, column 1: duplicate key \"a\", first used on line 1" },
                { "{\"a\":\"\n\"}", "line 1, column 7: " },
                { "{\"a\":01}", "line 1, column 6: " },
                { "// x\n{}", "line 1, column 1: JSON has no comments" },
                { "{/*", "line 1, column 2: " },
                { "\"", "line 1, column 1: the string is never closed" },
                { "nul", "line 1, column 1: " },
                { "{} {}", "line 1, column 4: " },
        };
        struct json5_file file;
        struct err err;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
                assert_int_equal(settings_parse(&plain, str_z(broken[i].text), &arena, &file, &err), -1);
                if (strncmp(err.msg, broken[i].message, strlen(broken[i].message)) != 0)
                        fail_msg("%s\nsays  %s\nnot   %s", broken[i].text, err.msg, broken[i].message);
        }
        assert_int_equal(settings_parse(&commented, STR("{} /* x"), &arena, &file, &err), -1);
        assert_int_equal(settings_parse(&commented, STR("{\"a\":1,}"), &arena, &file, &err), -1);
        assert_int_equal(settings_parse(&commented, STR("{a:1}"), &arena, &file, &err), -1);
        assert_int_equal(settings_parse(&plain, str_from("{\"a\":1\0}", 8), &arena, &file, &err), -1);
}

/* As many levels as may be, and one more. */
static void limits(void **state) {
        struct json5_file file;
        struct err err;
        ARENA_AUTO arena;
        BUF_AUTO text;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&text, (size_t)2 * JSON_BYTES_MAX);
        for (size_t depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
                buf_clear(&text);
                for (size_t i = 1; i < depth; i++)
                        buf_append(&text, STR("{\"a\":"));
                buf_append(&text, STR("{}"));
                for (size_t i = 1; i < depth; i++)
                        buf_char(&text, '}');
                assert_int_equal(settings_parse(&plain, buf_str(&text), &arena, &file, &err), depth > JSON_DEPTH_MAX ? -1 : 0);
        }
        assert_int_equal(err.code, ERR_TOO_COMPLEX);
        for (size_t len = JSON_BYTES_MAX; len <= JSON_BYTES_MAX + 1; len++) {
                buf_clear(&text);
                buf_append(&text, STR("{}"));
                while (text.len < len)
                        buf_char(&text, ' ');
                assert_int_equal(settings_parse(&plain, buf_str(&text), &arena, &file, &err), len > JSON_BYTES_MAX ? -1 : 0);
        }
        assert_int_equal(err.code, ERR_TOO_COMPLEX);
}

static void shown(void **state) {
        static const struct {
                const char *before, *after, *shown;
        } cases[] = {
                { "", "a\nb\n", "+a\n+b\n" },
                { "a\nb\n", "", "-a\n-b\n" },
                { "1\n2\n3\n4\nx\n5\n6\n7\n8\n", "1\n2\n3\n4\ny\nz\n5\n6\n7\n8\n", " 2\n 3\n 4\n-x\n+y\n+z\n 5\n 6\n 7\n" },
                { "a\nb", "a\nb\nc", " a\n-b\n+b\n+c\n" },
                { "a\na\n", "a\na\na\n", " a\n a\n+a\n" },
                { "a\n", "a\n", " a\n" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                BUF_AUTO out;

                buf_init(&out, 1 << 20);
                diff_write(str_z(cases[i].before), str_z(cases[i].after), &out);
                assert_str_equal(buf_str(&out), str_z(cases[i].shown));
        }
}

/* The choice that --help and the completion offer, and the table. */
static void names(void **state) {
        char joined[256] = "";

        (void)state;
        for (const struct hook_agent *agent = hook_agents; agent->name; agent++) {
                size_t used = strlen(joined);

                snprintf(joined + used, sizeof(joined) - used, "%s%s", used ? "|" : "", agent->name);
        }
        assert_string_equal(joined, HOOK_AGENTS);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(finding), cmocka_unit_test(not_read), cmocka_unit_test(limits),
                cmocka_unit_test(shown),   cmocka_unit_test(names),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
