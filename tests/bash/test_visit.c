/*
 * That the visitor reaches every corner of the tree, and what the lister and the dumps make of it.
 */
#include "tests/test.h"

#include <jansson.h>

#include "bash/syntax/print.h"
#include "bash/syntax/visit.h"

static struct arena arena;
static struct buf out;

static int setup(void **state) {
        (void)state;
        arena_init(&arena, 0);
        buf_init(&out, 1 << 24);
        return 0;
}

static int teardown(void **state) {
        (void)state;
        arena_free(&arena);
        buf_free(&out);
        return 0;
}

static void parse(const char *source, struct script *script) {
        if (shell_parse(str_z(source), &arena, script) != 0)
                print_message("%s: %s\n", source, script->error.message);
        assert_int_equal(script->error.kind, SYNTAX_OK);
}

static void commands_are(const char *source, const char *expected) {
        struct script script;

        parse(source, &script);
        buf_clear(&out);
        shell_commands_json(&script, &out);
        assert_str_equal(buf_str(&out), str_z(expected));
}

/* Each hides one command, called `it`. */
static const char *const hiding_places[] = {
        "x=$(it)",
        "x=`it`",
        "x[$(it)]=1",
        "x=(a $(it))",
        "x=([$(it)]=1)",
        "x=([1]=$(it))",
        "x=(1)$(it)y",
        "x+=$(it)",
        ">$(it)",
        "{x[$(it)]}>f",
        "<<<$(it)",
        "<<E\n$(it)\nE\n",
        "<<-E\n\t`it`\nE\n",
        "<<E\n${x:-$(it)}\nE\n",
        "> >(it)",
        "(it)",
        "{ it; }",
        "(x=1) >$(it)",
        "if it; then x=1; fi",
        "if x=1; then it; fi",
        "if x=1; then x=1; elif it; then x=1; fi",
        "if x=1; then x=1; elif x=1; then it; fi",
        "if x=1; then x=1; else it; fi",
        "while it; do x=1; done",
        "while x=1; do it; done",
        "until it; do x=1; done",
        "until x=1; do it; done",
        "for x in $(it); do x=1; done",
        "for x; do it; done",
        "select x in $(it); do x=1; done",
        "select x; do it; done",
        "for (($(it);;)); do x=1; done",
        "for ((;$(it);)); do x=1; done",
        "for ((;;$(it))); do x=1; done",
        "for ((;;)); do it; done",
        "case $(it) in a) ;; esac",
        "case a in $(it)) ;; esac",
        "case a in b|@(c|$(it))) ;; esac",
        "case a in b) it ;; esac",
        "case a in b) ;; c) it & ;; esac",
        "(($(it)))",
        "((x[$(it)]))",
        "[[ $(it) ]]",
        "[[ -f $(it) ]]",
        "[[ $(it) == a ]]",
        "[[ a =~ $(it) ]]",
        "[[ a && ( ! $(it) || b ) ]]",
        "f() { it; }",
        "f() { x=1; } >$(it)",
        "function f (it)",
        "coproc it",
        "coproc x { it; }",
        "x=\"a $(it)\"",
        "x=$\"$(it)\"",
        "x=<(it)",
        "x=$(($(it)))",
        "x=$[$(it)]",
        "x=${y:-$(it)}",
        "x=\"${y:=$(it)}\"",
        "x=${y[$(it)]}",
        "x=${y:$(it)}",
        "x=${y:1:$(it)}",
        "x=${y#$(it)}",
        "x=${y/$(it)/z}",
        "x=${y/z/$(it)}",
        "x=${y^$(it)}",
        "x=${y:-${z:-\"`it`\"}}",
        "x=`y=\\`it\\``",
        "x=$(y=$(z=$(it)))",
        "! it",
        "time it",
        "x=1 | it",
        "x=1 |& it",
        "x=1 && it",
        "x=1 || it",
        "x=1 & it &",
        "x=1\nit",
        "x=y it",
        ">f it",
};

static void corners(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(hiding_places) / sizeof(*hiding_places); i++) {
                struct script script;

                parse(hiding_places[i], &script);
                buf_clear(&out);
                shell_commands_json(&script, &out);
                if (!str_eq(buf_str(&out), STR("[[\"it\"]]")))
                        print_message("%s: %.*s\n", hiding_places[i], (int)out.len, out.ptr);
                assert_str_equal(buf_str(&out), STR("[[\"it\"]]"));
        }
}

static int mark_role(const struct node *node, void *data) {
        bool *seen = data;

        seen[node->role] = true;
        assert_true(node_range(node).start <= node_range(node).end);
        assert_non_null(shell_node_name(node));
        return shell_visit_children(node, mark_role, data);
}

/* The places above are all there are. */
static void roles(void **state) {
        bool seen[ROLE_KINDS] = { false };

        (void)state;
        for (size_t i = 0; i < sizeof(hiding_places) / sizeof(*hiding_places); i++) {
                struct script script;

                parse(hiding_places[i], &script);
                shell_visit_list(script.commands, ROLE_COMMAND, mark_role, seen);
        }
        for (size_t i = 0; i < ROLE_KINDS; i++) {
                assert_true(seen[i]);
                for (size_t j = 0; j < i; j++)
                        assert_string_not_equal(node_role_name((enum node_role)i), node_role_name((enum node_role)j));
        }
}

static int stop_at_second(const struct command *simple, void *data) {
        (void)simple;
        return ++*(int *)data == 2 ? 7 : 0;
}

static void lists(void **state) {
        struct script script;
        int count = 0;

        (void)state;
        commands_are("", "[]");
        commands_are("a=1; >f", "[]");
        commands_are("a 'b c' \"$(d e)\" | f", "[[\"a\",\"'b c'\",\"\\\"$(d e)\\\"\"],[\"d\",\"e\"],[\"f\"]]");
        commands_are("x=1 declare y=(1 $(a)) z", "[[\"declare\",\"y=(1 $(a))\",\"z\"],[\"a\"]]");
        commands_are("2>f a >&1 b", "[[\"a\",\"b\"]]");
        parse("a $(b $(c)) d", &script);
        assert_int_equal(shell_each_simple(&script, stop_at_second, &count), 7);
        assert_int_equal(count, 2);
}

static void json(void **state) {
        struct script script;
        json_t *root, *first;
        long long start, end;

        (void)state;
        for (size_t i = 0; i < sizeof(hiding_places) / sizeof(*hiding_places); i++) {
                parse(hiding_places[i], &script);
                buf_clear(&out);
                shell_dump_json(&script, &out);
                root = json_loadb(out.ptr, out.len, 0, NULL);
                assert_non_null(root);
                first = json_array_get(json_object_get(root, "commands"), 0);
                assert_int_equal(json_unpack(first, "{s:[I,I]}", "range", &start, &end), 0);
                assert_true(start <= end);
                json_decref(root);
        }
        assert_int_equal(shell_parse(STR("a\nb )"), &arena, &script), -1);
        buf_clear(&out);
        shell_dump_json(&script, &out);
        root = json_loadb(out.ptr, out.len, 0, NULL);
        assert_non_null(root);
        assert_true(json_is_false(json_object_get(root, "ok")));
        assert_int_equal(json_array_size(json_object_get(root, "commands")), 1);
        assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "error"), "line")), 2);
        assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "error"), "offset")), 4);
        json_decref(root);
}

static void tree(void **state) {
        struct script script;

        (void)state;
        parse("if a; then b \"$c\" >d; fi", &script);
        buf_clear(&out);
        shell_dump_tree(&script, &out);
        assert_str_equal(buf_str(&out), STR("if  0-24\n"
                                            "  clause  3-20\n"
                                            "    condition: simple  3-4\n"
                                            "      word \"a\"  3-4\n"
                                            "    body: simple  11-20\n"
                                            "      word \"b\"  11-12\n"
                                            "      word  13-17\n"
                                            "        double  13-17\n"
                                            "          param \"c\"  14-16\n"
                                            "      redirect >  18-20\n"
                                            "        target: word \"d\"  19-20\n"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(corners), cmocka_unit_test(roles), cmocka_unit_test(lists),
                cmocka_unit_test(json),    cmocka_unit_test(tree),
        };

        return cmocka_run_group_tests_name("visit", tests, setup, teardown);
}
