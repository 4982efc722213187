#include "policy/toml.h"

#include <locale.h>
#include <math.h>

#include "tests/base/value_tree_test.h"

/* What the rest means is for toml_oracle.sh to ask; these are the rules one by one. */
static void values(void **state) {
        static const struct tree_row rows[] = {
                { STR(""), "{}" },
                { STR("# c\n\n \t\r\n"), "{}" },
                { STR("a=1#c"), "{\"a\": 1}" },
                { STR("a = [+1, -0, 1_000, 0xfF, 0o17, 0b1_1]"), "{\"a\": [1, 0, 1000, 255, 15, 3]}" },
                { STR("a = [9223372036854775807, -9223372036854775808, 0x7fffffffffffffff]"),
                  "{\"a\": [9223372036854775807, -9223372036854775808, 9223372036854775807]}" },
                { STR("a = [1.5, -0.0, 1e2, 1_0.2_5, 6E-1, inf, -inf, nan]"),
                  "{\"a\": [1.5, -0.0, 100.0, 10.25, 0.59999999999999998, Infinity, -Infinity, NaN]}" },
                { STR("a = [true, false]"), "{\"a\": [true, false]}" },
                { STR("a = [ # c\n1, # d\n\n 2 , ]"), "{\"a\": [1, 2]}" },
                { STR("a = {b = 1, c.d = {}, 'e' = []}"), "{\"a\": {\"b\": 1, \"c\": {\"d\": {}}, \"e\": []}}" },
                { STR("a = [1979-05-27T07:32:00Z, 1979-05-27 07:32:00.5-07:00]"),
                  "{\"a\": [\"1979-05-27T07:32:00Z\", \"1979-05-27 07:32:00.5-07:00\"]}" },
                { STR("a = [2000-02-29 , 1979-05-27T00:00:00, 23:59:59.999]"),
                  "{\"a\": [\"2000-02-29\", \"1979-05-27T00:00:00\", \"23:59:59.999\"]}" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check, toml_read, rows);
}

static void strings(void **state) {
        static const struct tree_row rows[] = {
                { STR("a = \"\\b\\t\\n\\f\\r\\\"\\\\\""), "{\"a\": \"\\b\\t\\n\\f\\r\\\"\\\\\"}" },
                { STR("a = \"\\u00e9\\U0001F600\""), "{\"a\": \"é😀\"}" },
                { STR("a = '\\n\"'"), "{\"a\": \"\\\\n\\\"\"}" },
                { STR("a = \"\\u0000b\""), "{\"a\": \"\\u0000b\"}" },
                { STR("a = \"\"\"\nb\r\nc\"\"\""), "{\"a\": \"b\\nc\"}" },
                { STR("a = \"\"\"b\\  \n\n\t c\"\"\""), "{\"a\": \"bc\"}" },
                { STR("a = \"\"\"b\\\r\n \r\n c\"\"\""), "{\"a\": \"bc\"}" },
                { STR("a = \"\"\"\"\"b\"\"\"\"\""), "{\"a\": \"\\\"\\\"b\\\"\\\"\"}" },
                { STR("a = '''\n'b\\\n'''''"), "{\"a\": \"'b\\\\\\n''\"}" },
                { STR("a = \"\""), "{\"a\": \"\"}" },
                { STR("a = \"\"\"\"\"\""), "{\"a\": \"\"}" },
                { STR("\"b c\" = 1\n'd.e' = 2\n\"\" = 3\n\"\\u0041\" = 4"), "{\"b c\": 1, \"d.e\": 2, \"\": 3, \"A\": 4}" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check, toml_read, rows);
}

static void tables(void **state) {
        static const struct tree_row rows[] = {
                { STR("a.b . \"c\" = 1\na.d = 2"), "{\"a\": {\"b\": {\"c\": 1}, \"d\": 2}}" },
                { STR("1.2 = 3"), "{\"1\": {\"2\": 3}}" },
                { STR("[ a . b ]\nc = 1\n[a]\nd = 2"), "{\"a\": {\"b\": {\"c\": 1}, \"d\": 2}}" },
                { STR("a.b = 1\n[a.c]\nd = 2"), "{\"a\": {\"b\": 1, \"c\": {\"d\": 2}}}" },
                { STR("[a.b.c]\n[a]\nb.d = 1"), "{\"a\": {\"b\": {\"c\": {}, \"d\": 1}}}" },
                { STR("[[a]]\nb = 1\n[a.c]\n[[a]]\nb = 2\n[a.c]\nd = 3"),
                  "{\"a\": [{\"b\": 1, \"c\": {}}, {\"b\": 2, \"c\": {\"d\": 3}}]}" },
                { STR("[[a.b]]\n[[a.b.c]]\n[[a.b.c]]\n[a]\nd = 1"), "{\"a\": {\"b\": [{\"c\": [{}, {}]}], \"d\": 1}}" },
                { STR("z = 1\na = 2\nm = 3\n[b]\n[a1]"), "{\"z\": 1, \"a\": 2, \"m\": 3, \"b\": {}, \"a1\": {}}" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check, toml_read, rows);
}

/* The manifest of one of the systems this one takes the place of, as its users have it on disk. */
static void sandbox_manifest(void **state) {
        static const struct tree_row rows[] = {
                { STR("# reads one directory, writes to a scratch area\n"
                      "[sandbox]\n"
                      "fs_read_allow = [\"/home/user/project/src\"]\n"
                      "fs_write_allow = [\"/tmp/tool-output\"]\n"
                      "network = { kind = \"deny\" }\n"
                      "syscall_policy = \"inherit\" # or \"strict\"\n"
                      "timeout = { secs = 30, nanos = 0 }\n"
                      "max_memory_bytes = 268435456 # 256 MiB\n"
                      "max_cpu_secs = 10\n"
                      "env = [[\"LANG\", \"en_US.UTF-8\"]]\n"
                      "# image = \"ghcr.io/tradecanyon/wcore-sandbox:base\" # Docker only\n"),
                  "{\"sandbox\": {\"fs_read_allow\": [\"/home/user/project/src\"], "
                  "\"fs_write_allow\": [\"/tmp/tool-output\"], \"network\": {\"kind\": \"deny\"}, "
                  "\"syscall_policy\": \"inherit\", \"timeout\": {\"secs\": 30, \"nanos\": 0}, "
                  "\"max_memory_bytes\": 268435456, \"max_cpu_secs\": 10, \"env\": [[\"LANG\", \"en_US.UTF-8\"]]}}" },
                { STR("network = { kind = \"inherit\" }"), "{\"network\": {\"kind\": \"inherit\"}}" },
                { STR("network = { kind = \"allow_hosts\", hosts = [\"api.example.com\"] }"),
                  "{\"network\": {\"kind\": \"allow_hosts\", \"hosts\": [\"api.example.com\"]}}" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check, toml_read, rows);
}

static void bad_syntax(void **state) {
        static const struct tree_bad_row rows[] = {
                { STR("a"), 1, 2, "expected '=' or '.' after a key, found the end of the file" },
                { STR("a =\n"), 1, 4, "expected a value (a string needs quotes), found the end of the line" },
                { STR("a = deny"), 1, 5, "a string needs quotes" },
                { STR("a = 1 b = 2"), 1, 7, "expected the end of the line, found 'b'" },
                { STR("\n  = 1"), 2, 3, "expected a key, a [table] or a comment, found '='" },
                { STR("é = 1"), 1, 1, "found character U+00E9" },
                { STR("\"é\" é"), 1, 5, "found character U+00E9" },
                { STR("\xef\xbb\xbf"), 1, 1, "found a byte order mark" },
                { STR("a. = 1"), 1, 4, "expected a key" },
                { STR("[a"), 1, 3, "']' after the name of a table" },
                { STR("[[a]\n"), 1, 4, "']]' after the name of an array of tables" },
                { STR("[]"), 1, 2, "expected a key" },
                { STR("a = [1,\n  2\nb = 1"), 3, 1, "',' or ']' in the array of line 1" },
                { STR("a = {b = 1,}"), 1, 12, "expected a key" },
                { STR("a = {b = 1\n}"), 1, 11, "',' or '}' in the inline table of line 1" },
                { STR("a = 1\rb = 2"), 1, 6, "found control character U+000D" },
                { STR("# \x01"), 1, 3, "no control characters in a comment" },
                { STR("a = \"\x7f\""), 1, 6, "no control characters in a string" },
                { STR("a = \"é\xff\""), 1, 7, "byte 0xff is not UTF-8" },
                { STR("a = \"x\n"), 1, 7, "\" to close the string" },
                { STR("a = '''x\n"), 1, 5, "the string is never closed" },
                { STR("a = \"x\\q\""), 1, 7, "unknown escape" },
                { STR("a = \"\\u12\""), 1, 6, "needs 4 hexadecimal digits" },
                { STR("a = \"\\ud800\""), 1, 6, "U+D800 is not a character" },
                { STR("a = \"\\U00110000\""), 1, 6, "U+110000 is not a character" },
                { STR("a = \"\"\"\\ x\"\"\""), 1, 8, "unknown escape" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check_bad, toml_read, rows);
}

static void bad_values(void **state) {
        static const struct tree_bad_row rows[] = {
                { STR("a = 01"), 1, 5, "must not start with 0" },
                { STR("a = 1__0"), 1, 7, "expected a digit" },
                { STR("a = 0x"), 1, 7, "expected a hexadecimal digit" },
                { STR("a = 0b2"), 1, 7, "expected a binary digit" },
                { STR("a = 1."), 1, 7, "expected a digit" },
                { STR("a = 9223372036854775808"), 1, 5, "does not fit into 64 bits" },
                { STR("a = -9223372036854775809"), 1, 5, "does not fit into 64 bits" },
                { STR("a = 0xffffffffffffffff"), 1, 5, "does not fit into 64 bits" },
                { STR("a = 1979-13-01"), 1, 10, "the month 13 is not between 01 and 12" },
                { STR("a = 1979-02-29"), 1, 13, "the day 29 is not between 01 and 28" },
                { STR("a = 0000-01-01"), 1, 5, "the year 0000" },
                { STR("a = 24:00:00"), 1, 5, "the hour 24 is not between 00 and 23" },
                { STR("a = 23:59:60"), 1, 11, "the second 60" },
                { STR("a = 07:32"), 1, 10, "':' in a time" },
                { STR("a = 1979-05-27T07:32:00+24:00"), 1, 25, "hour of the offset" },
                { STR("a = truely"), 1, 9, "the end of the line" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check_bad, toml_read, rows);
}

static void bad_structure(void **state) {
        static const struct tree_bad_row rows[] = {
                { STR("a = 1\n\"a\" = 2"), 2, 1, "the key \"a\" is already defined on line 1" },
                { STR("a = {b = 1, b = 2}"), 1, 13, "the key \"b\" is already defined on line 1" },
                { STR("a = 1\na.b = 2"), 2, 1, "\"a\" is an integer (line 1), not a table" },
                { STR("a = {}\na.b = 2"), 2, 1, "\"a\" is an inline table (line 1)" },
                { STR("a = {}\n[x]\n[a.b]"), 3, 2, "\"a\" is an inline table (line 1)" },
                { STR("a = [{}]\n[[a]]"), 2, 3, "\"a\" is an array (line 1), not a table" },
                { STR("[a]\n[b]\n[a]"), 3, 2, "the table \"a\" is already defined on line 1" },
                { STR("a.b = 1\n[a]"), 2, 2, "the table \"a\" is already defined on line 1" },
                { STR("[a.b]\n[a]\nb.c = 1"), 3, 1, "the table \"b\" is already defined on line 1" },
                { STR("[a.b.c]\n[a]\nb.d = 1\n[a.b]"), 4, 4, "the table \"b\" is already defined on line 1" },
                { STR("[[a]]\n[a]"), 2, 2, "\"a\" is an array of tables (line 1)" },
                { STR("[a]\n[[a]]"), 2, 3, "the table \"a\" is already defined on line 1" },
                { STR("\"a\\u001b\\u00e9\\\"\" = 1\n\"a\\u001bé\\\"\" = 1"), 2, 1, "\"a\\u{1b}\\u{e9}\\\"\"" },
        };

        (void)state;
        TREE_CHECK_ALL(tree_check_bad, toml_read, rows);
}

static void places(void **state) {
        ARENA_AUTO arena;
        struct tree_node *root;
        const struct tree_node *node, *inner;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(toml_read(STR("\"é\" = '日'\r\n[b]\nc.d = [\n\t1,  {e = 2}]\n[[f]]\n"), &arena, &root, NULL), 0);
        node = tree_get(root, STR("é"));
        assert_int_equal(node->key_at.column, 1);
        assert_int_equal(node->at.column, 7);
        node = tree_get(tree_get(root, STR("b")), STR("c"));
        assert_int_equal(node->kind, TREE_TABLE);
        assert_int_equal(node->at.line, 3);
        node = tree_get(node, STR("d"));
        assert_int_equal(node->key_at.column, 3);
        assert_int_equal(node->at.column, 7);
        inner = node->last;
        assert_int_equal(inner->at.line, 4);
        assert_int_equal(inner->at.column, 6);
        assert_int_equal(inner->first->key_at.column, 7);
        assert_int_equal(inner->first->at.column, 11);
        node = tree_get(root, STR("f"))->first;
        assert_int_equal(node->at.line, 5);
        assert_int_equal(node->at.column, 3);
}

static void kinds(void **state) {
        static const enum tree_kind wanted[] = { TREE_STRING,          TREE_INTEGER,        TREE_FLOAT,      TREE_BOOLEAN,
                                                 TREE_OFFSET_DATETIME, TREE_LOCAL_DATETIME, TREE_LOCAL_DATE, TREE_LOCAL_TIME,
                                                 TREE_ARRAY,           TREE_TABLE };
        ARENA_AUTO arena;
        BUF_AUTO tagged;
        struct tree_node *root;
        size_t i = 0;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&tagged, 4096);
        assert_int_equal(toml_read(STR("a = ['x', 1, -inf, true, 2000-01-01T00:00:00z, 2000-01-01t00:00:00, 2000-01-01, "
                                       "00:00:00, [], {}]"),
                                   &arena, &root, NULL),
                         0);
        TREE_EACH(node, root->first)
        assert_int_equal(node->kind, wanted[i++]);
        assert_int_equal(i, 10);
        assert_int_equal(root->first->count, 10);
        assert_true(isinf(root->first->first->next->next->real));
        tree_to_json_tagged(root->first->first->next, &tagged);
        assert_str_equal(buf_str(&tagged), STR("{\"type\": \"integer\", \"value\": \"1\"}"));
        assert_null(tree_get(root->first, STR("a")));
}

static void strings_end_with_nul(void **state) {
        ARENA_AUTO arena;
        struct tree_node *root;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(toml_read(STR("k = \"v\\n\"\n\"q\" = '''x'''\nt = 00:00:00"), &arena, &root, NULL), 0);
        assert_string_equal(root->first->key.ptr, "k");
        assert_string_equal(root->first->text.ptr, "v\n");
        assert_string_equal(root->first->next->key.ptr, "q");
        assert_string_equal(root->first->next->text.ptr, "x");
        assert_string_equal(root->last->text.ptr, "00:00:00");
}

/* A program may have set a locale with another decimal point. */
static void other_locale(void **state) {
        static const struct tree_row row = { STR("a = 1.5"), "{\"a\": 1.5}" };

        (void)state;
        if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
                print_message("# no locale with a decimal comma here\n");
        tree_check(toml_read, &row);
        setlocale(LC_NUMERIC, "C");
}

static void depth(void **state) {
        static const struct {
                const char *before, *piece, *middle, *after;
                size_t most;
        } rows[] = {
                { "a = ", "[", "", "]", 99 }, { "a = ", "{a=", "1", "}", 99 }, { "", "a.", "b = 1", "", 99 },
                { "[a", ".a", "]", "", 98 },  { "[[a", ".a", "]]", "", 97 },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
                for (size_t more = 0; more < 2; more++) {
                        BUF_AUTO text;
                        ARENA_AUTO arena;
                        struct tree_node *root;
                        struct tree_error error = { 0 };

                        buf_init(&text, 4096);
                        arena_init(&arena, 0);
                        buf_append(&text, str_z(rows[i].before));
                        for (size_t n = 0; n < rows[i].most + more; n++)
                                buf_append(&text, str_z(rows[i].piece));
                        buf_append(&text, str_z(rows[i].middle));
                        for (size_t n = 0; n < rows[i].most + more; n++)
                                buf_append(&text, str_z(rows[i].after));
                        assert_int_equal(toml_read(buf_str(&text), &arena, &root, &error), more ? -1 : 0);
                        assert_int_equal(error.code, more ? ERR_TOO_COMPLEX : ERR_NONE);
                }
}

static void size(void **state) {
        struct buf text = tree_repeat(TREE_TEXT_MAX, "#", NULL);
        ARENA_AUTO arena;
        struct tree_node *root;
        struct tree_error error = { 0 };

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(toml_read(buf_str(&text), &arena, &root, &error), 0);
        buf_char(&text, '#');
        assert_int_equal(toml_read(buf_str(&text), &arena, &root, &error), -1);
        assert_int_equal(error.code, ERR_TOO_COMPLEX);
        assert_int_equal(error.at.line, 0);
        buf_free(&text);
}

static void many_keys(void **state) {
        struct buf text = tree_repeat(100000, "k", "=1\n");
        ARENA_AUTO arena;
        struct tree_node *root;
        char key[16];

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(toml_read(buf_str(&text), &arena, &root, NULL), 0);
        assert_int_equal(root->count, 100000);
        for (int i = 0; i < 100000; i++) {
                const struct tree_node *node = tree_get(root, str_from(key, (size_t)snprintf(key, sizeof(key), "k%d", i)));

                assert_non_null(node);
                assert_int_equal(node->at.line, i + 1);
        }
        assert_null(tree_get(root, STR("k")));
        assert_null(tree_get(root, STR("k100000")));
        assert_null(tree_get(root, STR("")));
        buf_free(&text);
}

/* Wherever memory ends, it ends with a message. */
static void no_memory(void **state) {
        struct buf text = tree_repeat(400, "[a.b.k", "]\nc = \"d\"\ne = [1.5, {}]\n");
        int failed = 0;

        (void)state;
        for (size_t limit = 1024; limit < 512 << 10; limit += 4099) {
                ARENA_AUTO arena;
                struct tree_node *root;
                struct tree_error error = { 0 };

                arena_init(&arena, limit);
                if (toml_read(buf_str(&text), &arena, &root, &error) == 0)
                        continue;
                assert_int_equal(error.code, ERR_MEMORY);
                assert_string_equal(error.message, "out of memory");
                failed++;
        }
        assert_true(failed > 10);
        buf_free(&text);
}

static void message_with_file(void **state) {
        struct tree_error error = { ERR_INVALID, { 12, 3 }, "expected a value" };
        struct err err;
        char file[400];

        (void)state;
        assert_int_equal(tree_error_set(&err, "a.toml", &error), -1);
        assert_string_equal(err.msg, "a.toml:12:3: expected a value");
        assert_int_equal(err.code, ERR_INVALID);
        error.at = (struct tree_pos){ 0 };
        tree_error_set(&err, "a.toml", &error);
        assert_string_equal(err.msg, "a.toml: expected a value");

        error.at = (struct tree_pos){ 4000000000u, 4000000000u };
        memset(error.message, 'm', sizeof(error.message) - 1);
        memset(file, 'f', sizeof(file) - 1);
        error.message[sizeof(error.message) - 1] = file[sizeof(file) - 1] = '\0';
        tree_error_set(&err, file, &error);
        assert_memory_equal(err.msg, "...f", 4);
        assert_string_equal(err.msg + strlen(err.msg) - strlen(error.message), error.message);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(values),        cmocka_unit_test(strings),
                cmocka_unit_test(tables),        cmocka_unit_test(sandbox_manifest),
                cmocka_unit_test(bad_syntax),    cmocka_unit_test(bad_values),
                cmocka_unit_test(bad_structure), cmocka_unit_test(places),
                cmocka_unit_test(kinds),         cmocka_unit_test(strings_end_with_nul),
                cmocka_unit_test(other_locale),  cmocka_unit_test(depth),
                cmocka_unit_test(size),          cmocka_unit_test(many_keys),
                cmocka_unit_test(no_memory),     cmocka_unit_test(message_with_file),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
