/*
 * What the parser costs: for texts made to be expensive, memory grows with their size and no faster, and stops at the
 * limit. Time is not measured here, where it would depend on the machine: work without memory counts against the limit.
 */
#include "tests/test.h"

#include <string.h>

#include "bash/syntax/parse.h"

enum { TEXT_MAX = 64 << 10, FIXED = 64 << 10, ONCE_PER_BYTE = 64, PADDING = 1 << 10 };

static char text[TEXT_MAX];

/* `before`, then `unit` as often as it fits. */
static struct str text_of(const char *before, const char *unit, size_t size) {
        struct str first = str_z(before), again = str_z(unit);
        size_t len = first.len;

        memcpy(text, first.ptr, first.len);
        for (; len + again.len <= size; len += again.len)
                memcpy(text + len, again.ptr, again.len);
        return str_from(text, len);
}

/* The memory it took. */
static size_t cost(struct str source, struct script *script) {
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        shell_parse(source, &arena, script);
        script->commands = NULL;
        return arena.used;
}

static void once(void **state) {
        static const char *const units[] = {
                "${",  "$(", "<<A ", "((", "\"$(", "[",  "{a,",   "`",       "a=b ", "a;",       "<a>b;", "!;", "$a ", "`:`",
                "$((", "(",  "\\",   "'",  "\"",   "{ ", "a=(b ", "case x ", "$[",   "declare ", "<(",    "@(", "[[ ",
        };
        struct script script;

        (void)state;
        for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
                assert_true(cost(text_of("", units[i], TEXT_MAX), &script) <= ONCE_PER_BYTE * TEXT_MAX + FIXED);
}

/* Texts that bash reads only when it expands them, inside each other: each level would copy or search all the rest. */
static void nested(void **state) {
        static const char *const units[] = {
                "$(<<E\n",       "$(<<-E\n\t",   "<<E\n$(<<-E ", "$((<<E\n",         "$((a <<E\n3)<<E\n$a ",
                "`<<E\n$((a)\n", "((<<E\n$((a ", "\"$(<<-E\n ",  "<(<<-E <<E\n\"$(", "}\n$(<<E\n}\n",
                "$((`",          "${a[$((<<E\n", "$(<<E\n'$((",
        };
        struct script script;

        (void)state;
        for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
                for (size_t size = 1 << 10; size <= TEXT_MAX; size *= 2)
                        assert_true(cost(text_of("", units[i], size), &script) <=
                                    SHELL_MAX_PER_BYTE * size + SHELL_MAX_MORE + PADDING);
}

static void refused(void **state) {
        struct script script;

        (void)state;
        cost(text_of("", "$(<<E\n", TEXT_MAX), &script);
        assert_int_equal(script.error.kind, SYNTAX_TOO_COMPLEX);
        assert_string_equal(script.error.message, "too complex: texts inside texts have to be read too often");
}

/* Texts as people write them, only larger: never too complex. */
static void accepted(void **state) {
        static const char *const befores[] = { "cat <<E\n", "((", "`", "$((", "cat <<-E\n\t", "x=\"$(cat <<E\n", "`cat <<E\n" };
        struct script script;

        (void)state;
        for (size_t i = 0; i < sizeof(befores) / sizeof(*befores); i++) {
                cost(text_of(befores[i], "a $(b) `c \\$d` \"$e\";\n", TEXT_MAX), &script);
                assert_int_not_equal(script.error.kind, SYNTAX_TOO_COMPLEX);
        }
}

/* Each colon of ${x:1?2:3} must not count all question marks before it again. */
static void conditional_offsets(void **state) {
        struct script script;
        struct str source = text_of("${x:1", "?:", TEXT_MAX - 1);

        (void)state;
        text[source.len++] = '}';
        assert_true(cost(source, &script) < FIXED);
        assert_int_equal(script.error.kind, SYNTAX_OK);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(once),
                cmocka_unit_test(nested),
                cmocka_unit_test(refused),
                cmocka_unit_test(accepted),
                cmocka_unit_test(conditional_offsets),
        };

        return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
