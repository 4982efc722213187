/*
 * Changes to JSON files in every style: a value is put in and taken out again, and the file is as it was; what stands beside it
 * is never lost.
 */
#include "tests/test.h"

#include <string.h>

#include "base/json5_edit.h"

enum { TEXT_MAX = 1 << 20 };

static const struct json5_rules comments = { JSON5_COMMENTS, true, TEXT_MAX, 64, NULL };

static const char *const texts[] = {
        "{}",
        "{}\n",
        "{\"a\":1}",
        "{\"a\":1,\"b\":{},\"c\":[]}",
        "{ \"a\": 1, \"b\": {}, \"c\": [1, [2, {\"d\": 3}]] }\n",
        "{\n  \"a\": 1\n}\n",
        "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      1,\n      {\"d\": null}\n    ],\n    \"e\": {}\n  }\n}\n",
        "{\n\t\"a\": 1,\n\t\"b\": {\n\t\t\"c\": []\n\t}\n}",
        "{\r\n    \"a\": 1,\r\n    \"b\": [\r\n        {}\r\n    ]\r\n}\r\n",
        "{\"a\":\"x\\\\\",\"b\":\"}{][,\\\"\",\"c\":{\"\\u0064\":-1.5e3}}",
        "\n\n  {\n  \"a\" : [ ] ,\n  \"b\" : { }\n  }\n\n",
        "\xef\xbb\xbf{\n  \"a\": \"\xc3\xbc\"\n}\n",
        "{\n// before\n  \"a\": 1, // about a\n  /* about b, { */ \"b\": [1, 2 /* two */] // last, ]\n  // end\n}\n",
        "{\n  // nothing yet\n}\n",
        "{ /* nothing */ }",
        "\"no container\"",
};

/* The same for JSON5 only. */
static const char *const texts_json5[] = {
        "{a: 1,}",
        "[1, 2,]",
        "[1, 2, ]",
        "[\n  'a', // one\n  'b', // two\n]",
        "{\n  'a': [1, 2 /* , */ , /* x */], // y\n  b: {c: +.5,},\n}\n",
        "{a: 1, // x\xe2\x80\xa8}",
        "// [\n[\v[\f]\xef\xbb\xbf]",
};

static struct json5_file file_read(struct str text, const struct json5_rules *rules, struct arena *arena) {
        struct tree_error error;
        struct tree_node *root = NULL;

        if (json5_read(text, rules, arena, &root, &error) < 0)
                fail_msg("%.*s\n%u:%u: %s", (int)text.len, text.ptr, error.at.line, error.at.column, error.message);
        return (struct json5_file){ text, rules, root };
}

static struct str edited(const struct json5_file *file, const struct tree_node *container, struct arena *arena,
                         struct buf *out) {
        static const struct str json = STR("{\"k\": \"it's \\\"v\\\" \\\\\", \"l\": [{\"m\": true}, 7], \"e\": {}}");
        const char *key = container->kind == TREE_TABLE ? "new\"key" : NULL;
        struct tree_node *value;

        assert_int_equal(json5_read(json, &json5_plain, arena, &value, NULL), 0);
        assert_int_equal(json5_insert(file, container, key, value, arena, out), 0);
        return buf_str(out);
}

static bool is_container(const struct tree_node *node) {
        return node->kind == TREE_TABLE || node->kind == TREE_ARRAY;
}

static const struct tree_node *node_at(const struct tree_node *node, size_t index, size_t *seen) {
        const struct tree_node *found = NULL;

        if ((*seen)++ == index)
                return node;
        if (!is_container(node))
                return NULL;
        for (const struct tree_node *child = node->first; child && !found; child = child->next)
                found = node_at(child, index, seen);
        return found;
}

static const struct tree_node *container_at(const struct tree_node *root, size_t index) {
        size_t seen = 0;
        const struct tree_node *node = node_at(root, index, &seen);

        return node && is_container(node) ? node : NULL;
}

static size_t node_count(const struct tree_node *root) {
        size_t seen = 0;

        node_at(root, SIZE_MAX, &seen);
        return seen;
}

static bool is_restored(struct str before, const struct tree_node *container, struct str after) {
        bool bare = true;

        for (size_t i = container->start + 1; i + 1 < container->end; i++)
                bare = bare && !json5_is_blank(before.ptr[i]);
        return container->count || bare ? str_eq(before, after) : true; /* what was blank may have become "{}" */
}

static void check(struct str text, const struct json5_rules *rules, size_t index, bool *more) {
        const struct tree_node *container;
        struct json5_file file, second, third;
        ARENA_AUTO arena;
        BUF_AUTO with, without;

        arena_init(&arena, 0);
        buf_init(&with, TEXT_MAX);
        buf_init(&without, TEXT_MAX);
        file = file_read(text, rules, &arena);
        *more = index + 1 < node_count(file.root);
        container = container_at(file.root, index);
        if (!container)
                return;
        print_message("# %zu in %s\n", index, text.ptr);
        second = file_read(edited(&file, container, &arena, &with), rules, &arena);
        assert_int_equal(node_count(second.root), node_count(file.root) + 7);
        container = container_at(second.root, index);
        assert_int_equal(container->count, container_at(file.root, index)->count + 1);
        assert_int_equal(json5_remove(&second, container->last, &arena, &without), 0);
        third = file_read(buf_str(&without), rules, &arena);
        assert_true(tree_equal(file.root, third.root, NULL));
        if (!is_restored(text, container_at(file.root, index), buf_str(&without)))
                fail_msg("%.*s\nbecame\n%.*s", (int)text.len, text.ptr, (int)without.len, without.ptr);
}

static void check_all(const char *const *all, size_t count, const struct json5_rules *rules) {
        for (size_t i = 0; i < count; i++) {
                bool more = true;

                for (size_t j = 0; more; j++)
                        check(str_z(all[i]), rules, j, &more);
        }
}

static void in_and_out_again(void **state) {
        (void)state;
        check_all(texts, sizeof(texts) / sizeof(*texts), &comments);
        check_all(texts, sizeof(texts) / sizeof(*texts), &json5_all);
        check_all(texts_json5, sizeof(texts_json5) / sizeof(*texts_json5), &json5_all);
}

static const struct tree_node *child_at(const struct tree_node *node, size_t index) {
        const struct tree_node *child = node->first;

        while (index-- > 0)
                child = child->next;
        return child;
}

/* Any child can go, and the others stay in their order, with the comments before them. */
static void out(void **state) {
        static const struct {
                const char *text;
                size_t index;
                const char *without;
        } cases[] = {
                { "{\"a\":1,\"b\":2,\"c\":3}", 0, "{\"b\":2,\"c\":3}" },
                { "{\"a\":1,\"b\":2,\"c\":3}", 1, "{\"a\":1,\"c\":3}" },
                { "{\"a\":1,\"b\":2,\"c\":3}", 2, "{\"a\":1,\"b\":2}" },
                { "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", 0, "{\n  \"b\": 2,\n  \"c\": 3\n}\n" },
                { "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", 1, "{\n  \"a\": 1,\n  \"c\": 3\n}\n" },
                { "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", 2, "{\n  \"a\": 1,\n  \"b\": 2\n}\n" },
                { "{\n  \"a\": 1\n}\n", 0, "{}\n" },
                { "{\n  // x\n  \"a\": 1, // y\n  // z\n  \"b\": 2 // w\n}", 0,
                  "{\n  // x\n  // y\n  // z\n  \"b\": 2 // w\n}" },
                { "{\n  // x\n  \"a\": 1, // y\n  // z\n  \"b\": 2 // w\n}", 1,
                  "{\n  // x\n  \"a\": 1 // y\n  // z\n // w\n}" },
                { "{\n  // x\n  \"a\": 1}", 0, "{\n  // x\n}" },
                { "{\r\n  // x\r\n  \"a\": 1}", 0, "{\r\n  // x\r\n}" },
                { "{\"a\": 1, // x\n  \"b\": 2}", 1, "{\"a\": 1 // x\n}" },
                { "{\"a\": 1 // x\n , \"b\": 2}", 1, "{\"a\": 1 // x\n }" },
                { "{\"a\": 1, // x\n  \"b\": 2 /* y\n */}", 1, "{\"a\": 1 // x\n /* y\n */}" },
                { "{\"a\": 1, /* x */ \"b\": 2}", 1, "{\"a\": 1 /* x */}" },
                { "{ \"a\": 1 , \"b\": 2 }", 1, "{ \"a\": 1  }" },
                { "{ \"a\": 1 , \"b\": 2 }", 0, "{ \"b\": 2 }" },
                { "[1, 2,]", 0, "[2,]" },
                { "[1, 2,]", 1, "[1,]" },
                { "[1,]", 0, "[]" },
                { "[ 1 , ]", 0, "[]" },
                { "[1, // x\n 2, // y\n]", 1, "[1, // x\n // y\n]" },
                { "[1, // x\r 2, // y\r]", 1, "[1, // x\r // y\r]" },
                { "[1, // x\xe2\x80\xa8 2 ]", 1, "[1 // x\xe2\x80\xa8 ]" },
                { "[/* , */ 1 /* , */, 2]", 0, "[/* , */ 2]" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct json5_file file;
                ARENA_AUTO arena;
                BUF_AUTO without;

                arena_init(&arena, 0);
                buf_init(&without, TEXT_MAX);
                file = file_read(str_z(cases[i].text), &json5_all, &arena);
                assert_int_equal(json5_remove(&file, child_at(file.root, cases[i].index), &arena, &without), 0);
                if (!str_eq(buf_str(&without), str_z(cases[i].without)))
                        fail_msg("%s\nbecame\n%.*s", cases[i].text, (int)without.len, without.ptr);
        }
}

/* Where a value goes, and how it is written. */
static void in(void **state) {
        static const struct {
                const char *text, *with;
        } cases[] = {
                { "[]", "[\n  {\n    \"k\": [\n      1\n    ]\n  }\n]" },
                { "[1]", "[1,{\"k\":[1]}]" },
                { "[ 1 ]", "[ 1, {\"k\": [1]} ]" },
                { "[ 1, 2,]", "[ 1, 2, {\"k\": [1]},]" },
                { "[ 1 // x\r]", "[ 1, // x\n  {\n    \"k\": [\n      1\n    ]\n  }\r]" },
                { "[ ]", "[ \n  {\n    \"k\": [\n      1\n    ]\n  }\n]" },
                { "[\n\t'a', // one\n]", "[\n\t'a', // one\n\t{\n\t\t\"k\": [\n\t\t\t1\n\t\t]\n\t},\n]" },
                { "[ 1 // one\n]", "[ 1, // one\n  {\n    \"k\": [\n      1\n    ]\n  }\n]" },
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct tree_node *value;
                struct json5_file file;
                ARENA_AUTO arena;
                BUF_AUTO with;

                arena_init(&arena, 0);
                buf_init(&with, TEXT_MAX);
                file = file_read(str_z(cases[i].text), &json5_all, &arena);
                assert_int_equal(json5_read(STR("{k: [1]}"), &json5_all, &arena, &value, NULL), 0);
                assert_int_equal(json5_insert(&file, file.root, NULL, value, &arena, &with), 0);
                if (!str_eq(buf_str(&with), str_z(cases[i].with)))
                        fail_msg("%s\nbecame\n%.*s\nnot\n%s", cases[i].text, (int)with.len, with.ptr, cases[i].with);
        }
}

/* What would not be the old file with one change is refused. */
static void refused(void **state) {
        static const struct json5_rules flat = { JSON5_PLAIN, false, 20, 2, NULL };
        struct tree_node *value, *deep, *text;
        struct json5_file file;
        ARENA_AUTO arena;
        BUF_AUTO out, small;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&out, TEXT_MAX);
        buf_init(&small, 4);
        file = file_read(STR("{\"a\": [1], \"b\": 2}"), &flat, &arena);
        assert_int_equal(json5_read(STR("3"), &flat, &arena, &value, NULL), 0);
        assert_int_equal(json5_read(STR("[]"), &flat, &arena, &deep, NULL), 0);
        assert_int_equal(json5_read(STR("\"0123456789\""), &flat, &arena, &text, NULL), 0);
        assert_int_equal(json5_insert(&file, file.root->first, NULL, value, &arena, &out), -1); /* too long */
        file = file_read(STR("{\"a\":[],\"b\":2}"), &flat, &arena);
        assert_int_equal(json5_insert(&file, file.root->first, NULL, value, &arena, &out), 0);
        assert_int_equal(json5_insert(&file, file.root->first, NULL, value, &arena, &small), -1); /* no room */
        assert_int_equal(json5_insert(&file, file.root->first, NULL, text, &arena, &out), -1);
        assert_int_equal(json5_insert(&file, file.root->first, NULL, deep, &arena, &out), -1); /* too deep */
        assert_int_equal(json5_insert(&file, file.root, "b", value, &arena, &out), -1);        /* is there already */
        assert_int_equal(json5_insert(&file, file.root, NULL, value, &arena, &out), -1);       /* an object needs a key */
        assert_int_equal(json5_insert(&file, file.root->first, "c", value, &arena, &out), -1); /* an array has none */
        assert_int_equal(json5_insert(&file, file.root->last, "c", value, &arena, &out), -1);  /* a number has no members */
        assert_int_equal(json5_remove(&file, file.root, &arena, &out), -1);
        assert_int_equal(json5_remove(&file, file.root->last, &arena, &small), -1);
        assert_int_equal(json5_remove(&file, file.root->last, &arena, &out), 0);
}

/* The old text does not have to be what the tree was made of: then nothing is written that means something else. */
static void another_text(void **state) {
        struct tree_node *value;
        struct json5_file file;
        ARENA_AUTO arena;
        BUF_AUTO out;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&out, TEXT_MAX);
        file = file_read(STR("{\"a\": [1], \"b\": 2}"), &json5_plain, &arena);
        assert_int_equal(json5_read(STR("3"), &json5_plain, &arena, &value, NULL), 0);
        file.text = STR("{\"a\": [4], \"b\": 2}");
        assert_int_equal(json5_insert(&file, file.root->first, NULL, value, &arena, &out), -1);
        assert_int_equal(json5_remove(&file, file.root->last, &arena, &out), -1);
}

static void written(void **state) {
        struct tree_node *value;
        ARENA_AUTO arena;
        BUF_AUTO out;

        (void)state;
        arena_init(&arena, 0);
        buf_init(&out, TEXT_MAX);
        assert_int_equal(json5_read(STR("{version: 1, 'h': {}, a: ['x', -1.5, null]}"), &json5_all, &arena, &value, NULL), 0);
        json5_write(value, &out);
        assert_str_equal(buf_str(&out),
                         STR("{\n  \"version\": 1,\n  \"h\": {},\n  \"a\": [\n    \"x\",\n    -1.5,\n    null\n  ]\n}\n"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(in_and_out_again), cmocka_unit_test(in),           cmocka_unit_test(out),
                cmocka_unit_test(refused),          cmocka_unit_test(another_text), cmocka_unit_test(written),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
