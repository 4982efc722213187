/*
 * What the printer says, and that the parser reads it as the same tree.
 */
#include "tests/test.h"

#include <string.h>

#include <jansson.h>

#include "bash/syntax/print.h"

struct example {
        const char *source, *printed; /* printed NULL: the same */
};

static struct arena arena;
static struct buf printed, text;

static int setup(void **state) {
        (void)state;
        arena_init(&arena, 0);
        buf_init(&printed, 1 << 20);
        buf_init(&text, 1 << 24);
        return 0;
}

static int teardown(void **state) {
        (void)state;
        arena_free(&arena);
        buf_free(&printed);
        buf_free(&text);
        return 0;
}

/* ---- trees without their places ---- */

static bool same_quoting(json_t *a, json_t *b) {
        static const char *const keys[] = { "kind", "style" };

        for (size_t i = 0; i < 2; i++) {
                json_t *x = json_object_get(a, keys[i]), *y = json_object_get(b, keys[i]);
                if (!x != !y || (x && !json_equal(x, y)))
                        return false;
        }
        return json_object_get(a, "text") && json_object_get(b, "text");
}

/* \newline and the like cut a text in pieces that printing joins. */
static void texts_join(json_t *array) {
        for (size_t i = 1; i < json_array_size(array);) {
                json_t *before = json_array_get(array, i - 1), *part = json_array_get(array, i);

                if (!same_quoting(before, part)) {
                        i++;
                        continue;
                }
                json_object_set_new(before, "text",
                                    json_sprintf("%s%s", json_string_value(json_object_get(before, "text")),
                                                 json_string_value(json_object_get(part, "text"))));
                json_array_remove(array, i);
        }
}

static void places_remove(json_t *node) {
        json_object_del(node, "range");
        for (void *at = json_object_iter(node); at; at = json_object_iter_next(node, at))
                places_remove(json_object_iter_value(at));
        for (size_t i = 0; i < json_array_size(node); i++)
                places_remove(json_array_get(node, i));
        texts_join(node);
}

static json_t *tree_of(struct str source, struct script *script) {
        json_t *tree;

        shell_parse(source, &arena, script);
        buf_clear(&text);
        shell_dump_json(script, &text);
        assert_false(text.failed);
        tree = json_loadb(text.ptr, text.len, JSON_ALLOW_NUL, NULL);
        assert_non_null(tree);
        places_remove(tree);
        return tree;
}

/* ---- examples ---- */

static void example_check(const struct example *example) {
        const char *expected = example->printed ? example->printed : example->source;
        struct script before, after;
        json_t *tree = tree_of(str_z(example->source), &before), *again;

        buf_clear(&printed);
        shell_print(before.source, before.commands, &printed);
        if (!str_eq(buf_str(&printed), str_z(expected)))
                print_message("%s\nprinted as\n%.*s\n", example->source, (int)printed.len, printed.ptr);
        assert_str_equal(buf_str(&printed), str_z(expected));
        again = tree_of(buf_str(&printed), &after);
        assert_int_equal(after.error.kind, SYNTAX_OK);
        if (!json_equal(tree, again))
                print_message("%s\nis not\n%s\n", json_dumps(tree, JSON_COMPACT), json_dumps(again, JSON_COMPACT));
        assert_true(json_equal(tree, again));
        json_decref(tree);
        json_decref(again);
}

#define CHECK_ALL(examples)                                                 \
        for (size_t i = 0; i < sizeof(examples) / sizeof(*(examples)); i++) \
        example_check(&(examples)[i])

static void lists(void **state) {
        static const struct example examples[] = {
                { "", NULL },
                { "  # nothing", "" },
                { "a", NULL },
                { "a\nb;c\n", "a; b; c" },
                { "a&b &", "a & b &" },
                { "a&&b||c", "a && b || c" },
                { "a|b|&c", "a | b |& c" },
                { "! a | b; ! ! c", "! a | b; c" },
                { "time a; time -p b; time -- c; time ! d", "time a; time -p b; time c; time ! d" },
                { "time -- -p", NULL },
                { "! ; a", "!; a" },
                { "! !", NULL },
                { "(!;)", NULL },
                { "time", NULL },
                { "shopt -s extglob\n!(a) b\nc", "shopt -s extglob\n!(a) b; c" },
                { "shopt -s extglob; !(a)\nb", "shopt -s extglob; ! (a)\nb" },
        };

        (void)state;
        CHECK_ALL(examples);
}

static void simple_commands(void **state) {
        static const struct example examples[] = {
                { "a=1 b+=2 c d", NULL },
                { "a= b[1]=2 c[$(d)]+=3", NULL },
                { "a=( 1 [2]=3\n[4]+=5 $x ) b=()", "a=(1 [2]=3 [4]+=5 $x) b=()" },
                { "x=1 declare -a y=( 1 2 ) z w=(3)", "x=1 declare -a y=(1 2) z w=(3)" },
                { "a=(b c)d", NULL },
                { "\\\n a\\\nb", "ab" },
                { "a#b", NULL },
                { ">f a 2>&1 <g b", "> f a 2>&1 < g b" },
                { ">f if", "> f if" },
                { "x=1 if >f", "x=1 if > f" },
                { ">f !() a", "> f !() a" },
                { "a | time b >\\", "a | time b > \\" },
                { "<f if >\\", "< f if > \\" },
                { ">f a=1 <g b=2 >h declare c=(d) 2>i e", "> f a=1 < g b=2 > h declare c=(d) 2> i e" },
                { ">f g@() {", "> f g@() {" },
                { "a >|b >>c <>d &>e &>>f <&3 >&- 4<&5- {g}>h <<<i", //
                  "a >| b >> c <> d &> e &>> f <&3 >&- 4<&5- {g}> h <<< i" },
                { "a < <(b) > >(c) >& >(d)", NULL },
        };

        (void)state;
        CHECK_ALL(examples);
}

static void compounds(void **state) {
        static const struct example examples[] = {
                { "{ a;b& }", "{ a; b & }" },
                { "(a;b)>c", "(a; b) > c" },
                { "( (a) )", "( (a))" },
                { "if a;then b;elif c;then d;else e;fi", "if a; then b; elif c; then d; else e; fi" },
                { "while a;do b;done;until c;do d&done", "while a; do b; done; until c; do d & done" },
                { "for i;do a;done;for i in;do a;done;for i in b $c;{ a;}", //
                  "for i; do a; done; for i in; do a; done; for i in b $c; do a; done" },
                { "select i in a b;do c;done", "select i in a b; do c; done" },
                { "for ((i=0;i<3;i++));do a;done;for ((;;));do b;done", //
                  "for ((i=0;i<3;i++)); do a; done; for ((;;)); do b; done" },
                { "case $x in(a|b)c;;d);&*)e;;&esac", "case $x in a|b) c ;; d) ;& *) e ;;& esac" },
                { "case a in (esac) b & ;; esac", NULL },
                { "[[ a == @($(case b in (c) d;; esac)) ]]", "[[ a == @($(case b in (c) d ;; esac)) ]]" },
                { "case a in b) ! ; ;; esac", "case a in b) !; ;; esac" },
                { "((a + $b))", NULL },
                { "[[ -f a&&! ( b == c||$d =~ ^(x|y)+$ ) ]]", "[[ -f a && ! ( b == c || $d =~ ^(x|y)+$ ) ]]" },
                { "f(){ a;} >b", "f() { a; } > b" },
                { "function f { a; }; function g() (b)", "f() { a; }; g() (b)" },
                { "function if { a; }", "function if () { a; }" },
                { "a[ b\\\nc]d() { e; }; f@ () { g; }", "a[ bc]d () { e; }; f@ () { g; }" },
                { "`f\\\\a() { b; }`", "`f\\a () { b; }`" },
                { "coproc a b; coproc C { d; } 2>&1", NULL },
                { "coproc <a b in; coproc b <a {; coproc <a {", "coproc < a b in; coproc b < a {; coproc < a {" },
                { "coproc <a b c in; coproc <a b=c d in", "coproc < a b c in; coproc < a b=c d in" },
                { "coproc <a b @(c)", "coproc < a b @(c)" },
                { "coproc declare a=(b) <c; coproc declare { a=(b); }", "coproc declare a=(b) < c; coproc declare { a=(b); }" },
        };

        (void)state;
        CHECK_ALL(examples);
}

static void words(void **state) {
        static const struct example examples[] = {
                { "a\\ b 'c d' \"e f\" $'g\\th' $\"i\"", NULL },
                { "'' \"\" $''", NULL },
                { "\"a\\\"b\\$c\\`d\\\\e\\f $ $\"", NULL },
                { "$'\\x41\\u00e9\\xff\\cA\\n\\'\\\\'", "$'A\xc3\xa9\\xff\\x01\\n\\'\\\\'" },
                { "$a ${b} $1 ${12} $@ ${#} ${##} ${#c} ${!d} ${!e*} ${!f@} ${g[1]} ${#h[@]} ${!i[@]}", NULL },
                { "${a-b} ${a:-b} ${a=b} ${a:=b} ${a?b} ${a:?b} ${a+b} ${a:+b} ${a:-}", NULL },
                { "${a#b} ${a##b} ${a%b} ${a%%b} ${a/b} ${a/b/} ${a//b/c} ${a/#b/c} ${a/%b/c}", NULL },
                { "${a^} ${a^^b} ${a,b} ${a,,} ${a~} ${a~~} ${a@Q} ${a[@]@A}", NULL },
                { "${a:1} ${a: -1} ${a:1:2} ${a:(-1)} ${a:b?c:d:e}", NULL },
                { "\"${a:-'b' \"c\" \\} $d}\"", NULL },
                { "~/{a,b}*[!c]?(d|e)@(f)", NULL },
                { "$((1+$x)) $[2 * 3] $(( (1) ))", NULL },
        };

        (void)state;
        CHECK_ALL(examples);
}

static void substitutions(void **state) {
        static const struct example examples[] = {
                { "$() `` <() >()", NULL },
                { "a $( b;c ) \"$(d \"$(e)\")\"", "a $(b; c) \"$(d \"$(e)\")\"" },
                { "$( (a) ) $( ((1)) )", "$( (a)) $( ((1)))" },
                { "`a`", NULL },
                { "`a \\`b \\\\\\`c\\\\\\`\\``", NULL },
                { "\"`a \\\"b\\\"`\"", "\"`a \"b\"`\"" },
                { "`\\\\\xd9\\\\\xbb`", "`\\\xd9\\\xbb`" }, /* a character torn apart stays so */
                { "`a \\$b '\\\\n' \\\\\\$`", "`a $b '\\n' \\\\$`" },
                { "a `if b`", NULL }, /* the error is found only when it runs */
                { "$(a &) $(time;)", NULL },
        };

        (void)state;
        CHECK_ALL(examples);
}

static void documents(void **state) {
        static const struct example examples[] = {
                { "cat <<E\na $b $(c) \\$d\nE\n", NULL },
                { "cat <<'E'; x\na $b\nE\ny", "cat <<'E'\na $b\nE\nx; y" },
                { "cat << -E\na\n-E\n", NULL },
                { "cat <<-E\n\t\ta\n\n\tb\n\tE\n", "cat <<-E\n\ta\n\n\tb\n\tE\n" },
                { "cat <<A <<B | sort && c\na\nA\nb\nB\n", "cat <<A <<B |\na\nA\nb\nB\nsort && c" },
                { "{ cat <<E; }\na\nE\n", "{ cat <<E\na\nE\n}" },
                { "if a <<E; then b; fi\nx\nE\n", "if a <<E\nx\nE\nthen b; fi" },
                { "case a in b) c <<E;; esac\nx\nE\n", "case a in b) c <<E ;;\nx\nE\nesac" },
                { "x \"$(cat <<E\na\nE\n)\" y", NULL },
                { "cat <<A \"$(cat <<B\nb\nB\n)\"\na\nA\n", NULL },
                { "`cat <<E\na\nE\n`", "`cat <<E\na\nE`" },
                { "`cat <<E\na`", NULL },
                { "cat <<E && b\nx", NULL },
                { "cat <<E", NULL },
                { "cat <<A\n$(cat <<-A\n\ta\n\tA\n)\nA\n", NULL },
                { "cat <<A\n$(cat <<A\na\nA)\nA\n", NULL },
        };

        (void)state;
        CHECK_ALL(examples);
}

/* ---- trees that no source has ---- */

static struct part *part_text(enum part_kind kind, enum part_style style, struct str value) {
        struct part *part = ARENA_NEW(&arena, struct part);

        *part = (struct part){ .kind = kind, .style = style, .text = value };
        return part;
}

static void word_is(struct part *parts, struct str expected) {
        buf_clear(&printed);
        shell_print_word(STR(""), &(struct word){ .parts = parts }, &printed);
        assert_str_equal(buf_str(&printed), expected);
}

static void every_byte(void **state) {
        struct script script;
        const struct part *part;
        char bytes[255];

        (void)state;
        for (size_t i = 0; i < sizeof(bytes); i++)
                bytes[i] = (char)(i + 1);
        buf_clear(&printed);
        shell_print_word(STR(""), &(struct word){ .parts = part_text(PART_QUOTED, STYLE_ANSI, str_from(bytes, sizeof(bytes))) },
                         &printed);
        assert_int_equal(shell_parse(buf_str(&printed), &arena, &script), 0);
        part = script.commands->simple.words->parts;
        assert_int_equal(part->kind, PART_QUOTED);
        assert_str_equal(part->text, str_from(bytes, sizeof(bytes)));
}

static void odd_texts(void **state) {
        struct part *part;

        (void)state;
        word_is(part_text(PART_QUOTED, STYLE_BACKSLASH, STR("a\n ")), STR("\\a'\n'\\ "));
        word_is(part_text(PART_QUOTED, STYLE_SINGLE, STR("it's")), STR("'it'\\''s'"));
        part = part_text(PART_DOUBLE, STYLE_PLAIN, STR(""));
        part->parts = part_text(PART_LITERAL, STYLE_PLAIN, STR("`\"$x$\\$\\"));
        word_is(part, STR("\"\\`\\\"\\$x$\\\\$\\\\\""));
}

static void full_buffer(void **state) {
        struct script script;
        struct buf small;

        (void)state;
        assert_int_equal(shell_parse(STR("cat <<E `a` \"$(b)\"\nx\nE\n"), &arena, &script), 0);
        for (size_t max = 0; max < strlen("cat <<E `a` \"$(b)\"\nx\nE\n"); max++) {
                buf_init(&small, max);
                shell_print(script.source, script.commands, &small);
                assert_true(small.failed);
                buf_free(&small);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(lists),      cmocka_unit_test(simple_commands), cmocka_unit_test(compounds),
                cmocka_unit_test(words),      cmocka_unit_test(substitutions),   cmocka_unit_test(documents),
                cmocka_unit_test(every_byte), cmocka_unit_test(odd_texts),       cmocka_unit_test(full_buffer),
        };

        return cmocka_run_group_tests_name("print", tests, setup, teardown);
}
