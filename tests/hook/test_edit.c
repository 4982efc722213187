/*
 * Changes to JSON files in every style: a value is put in and taken out again, and the file is as it was; what stands beside it
 * is never lost.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hook/edit.h"

enum { TEXT_MAX = 1 << 20 };

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
};

static struct str edited(const struct tree *tree, struct node *container, struct buf *out) {
        JSON_AUTO value = json_pack("{s:s, s:[{s:b}, i], s:{}}", "k", "it's \"v\" \\", "l", "m", 1, 7, "e");

        assert_non_null(value);
        edit_insert(tree, container, container->kind == '{' ? "new\"key" : NULL, value, out);
        assert_false(out->failed);
        return buf_str(out);
}

static struct node *node_at(struct node *node, size_t index, size_t *seen) {
        struct node *found = NULL;

        if ((*seen)++ == index)
                return node;
        for (struct node *child = node->first; child && !found; child = child->next)
                found = node_at(child, index, seen);
        return found;
}

/* The text without blanks and comments: what a change in style cannot change. */
static void squeeze(const struct tree *tree, struct buf *out) {
        char *text = json_dumps(tree->json, JSON_COMPACT);

        buf_append(out, str_z(text));
        free(text);
}

static struct node *container_at(const struct tree *tree, size_t index) {
        size_t seen = 0;
        struct node *node = node_at(tree->root, index, &seen);

        return node && (node->kind == '{' || node->kind == '[') ? node : NULL;
}

static size_t node_count(const struct tree *tree) {
        size_t seen = 0;

        node_at(tree->root, SIZE_MAX, &seen);
        return seen;
}

static bool is_restored(struct str before, const struct node *container, struct str after) {
        bool bare = true;

        for (size_t i = container->start + 1; i + 1 < container->end; i++)
                bare = bare && !json_blank(before.ptr[i]);
        return container->count || bare ? str_eq(before, after) : true; /* what was blank may have become "{}" */
}

static void check(struct str text, size_t index, bool *more) {
        struct tree tree, second, third;
        struct node *container;
        struct err err = {};
        ARENA_AUTO arena;
        BUF_AUTO with, without, old, new;

        arena_init(&arena, 0);
        buf_init(&with, TEXT_MAX);
        buf_init(&without, TEXT_MAX);
        buf_init(&old, TEXT_MAX);
        buf_init(&new, TEXT_MAX);
        assert_int_equal(tree_read(text, true, &arena, &tree, &err), 0);
        *more = index + 1 < node_count(&tree);
        container = container_at(&tree, index);
        if (container) {
                print_message("# %zu in %s\n", index, text.ptr);
                assert_int_equal(tree_read(edited(&tree, container, &with), true, &arena, &second, &err), 0);
                assert_int_equal(node_count(&second), node_count(&tree) + 7);
                assert_int_equal(container_at(&second, index)->count, container->count + 1);
                edit_remove(&second, container_at(&second, index)->last, &without);
                assert_int_equal(tree_read(buf_str(&without), true, &arena, &third, &err), 0);
                squeeze(&tree, &old);
                squeeze(&third, &new);
                assert_str_equal(buf_str(&old), buf_str(&new));
                if (!is_restored(text, container, buf_str(&without)))
                        fail_msg("%.*s\nbecame\n%.*s", (int)text.len, text.ptr, (int)without.len, without.ptr);
                tree_free(&second);
                tree_free(&third);
        }
        tree_free(&tree);
}

static void in_and_out_again(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
                bool more = true;

                for (size_t j = 0; more; j++)
                        check(str_z(texts[i]), j, &more);
        }
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
        };

        (void)state;
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct tree tree;
                struct err err;
                ARENA_AUTO arena;
                BUF_AUTO without;

                arena_init(&arena, 0);
                buf_init(&without, TEXT_MAX);
                assert_int_equal(tree_read(str_z(cases[i].text), true, &arena, &tree, &err), 0);
                edit_remove(&tree, tree_item(tree.root, cases[i].index), &without);
                tree_free(&tree);
                if (!str_eq(buf_str(&without), str_z(cases[i].without)))
                        fail_msg("%s\nbecame\n%.*s", cases[i].text, (int)without.len, without.ptr);
        }
}

static void finding(void **state) {
        struct tree tree;
        struct err err;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        assert_int_equal(tree_read(STR("{\"h\\u006foks\": {\"x\\\\\": [5]}}"), false, &arena, &tree, &err), 0);
        assert_non_null(tree_member(&tree, tree.root, "hooks"));
        assert_null(tree_member(&tree, tree.root, "h"));
        assert_non_null(tree_member(&tree, tree_member(&tree, tree.root, "hooks"), "x\\"));
        assert_null(tree_member(&tree, NULL, "x"));
        assert_null(tree_item(NULL, 0));
        assert_null(tree_item(tree_member(&tree, tree_member(&tree, tree.root, "hooks"), "x\\"), 1));
        tree_free(&tree);
}

static void not_read(void **state) {
        static const char *const broken[] = { "",
                                              "{",
                                              "[]",
                                              "{\"a\":1,}",
                                              "{\"a\" 1}",
                                              "{\"a\":1} x",
                                              "{'a':1}",
                                              "{\"a\":1,\"a\":2}",
                                              "{\"a\":\"\n\"}",
                                              "{\"a\":01}",
                                              "// x\n{}",
                                              "{/*",
                                              "\"",
                                              "nul" };
        struct tree tree;
        struct err err;
        ARENA_AUTO arena;

        (void)state;
        arena_init(&arena, 0);
        for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++)
                assert_int_equal(tree_read(str_z(broken[i]), false, &arena, &tree, &err), -1);
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

                buf_init(&out, TEXT_MAX);
                edit_show(str_z(cases[i].before), str_z(cases[i].after), &out);
                assert_str_equal(buf_str(&out), str_z(cases[i].shown));
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(in_and_out_again), cmocka_unit_test(out),   cmocka_unit_test(finding),
                cmocka_unit_test(not_read),         cmocka_unit_test(shown),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
