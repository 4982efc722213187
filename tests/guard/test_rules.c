/*
 * The tables of the guard: that each rule catches its own example, that the programs are in order, and that their
 * options can be read.
 */
#include "tests/test.h"

#include "base/err.h"
#include "guard/judge.h"
#include "guard/options.h"
#include "guard/paths.h"
#include "guard/rules.h"
#include "guard/tables/interpreters.h"
#include "guard/tables/subcommands.h"
#include "policy/credentials.h"
#include "policy/load.h"

static struct arena arena;
static struct policy open_policy, listing_policy;

/* The built-in policy of that name, and lists that the built-in ones do not have. */
static void load(const char *name, struct policy *ret) {
        static const struct str denied[] = { STR("denied.example") }, asked[] = { STR("asked") };
        struct policy_request request = { .name = name, .builtin_only = true };
        const struct policy *policy = NULL;
        struct err err = { 0 };

        if (policy_load(&request, &arena, &policy, &err) < 0)
                fail_msg("%s: %s", name, err.msg);
        *ret = *policy;
        ret->guard.domain_denylist = (struct str_list){ denied, 1 };
        ret->guard.ask = (struct str_list){ asked, 1 };
}

static int setup(void **state) {
        (void)state;
        arena_init(&arena, 0);
        load("default", &open_policy);
        load("readonly", &listing_policy);
        return 0;
}

static int teardown(void **state) {
        (void)state;
        arena_free(&arena);
        return 0;
}

/* ---- rules ---- */

static void ids_are_unique(void **state) {
        (void)state;
        for (size_t i = 0; i < rule_count; i++) {
                assert_non_null(rules[i].id);
                assert_true(strspn(rules[i].id, "abcdefghijklmnopqrstuvwxyz-") == strlen(rules[i].id));
                for (size_t j = 0; j < i; j++)
                        if (strcmp(rules[i].id, rules[j].id) == 0)
                                fail_msg("two rules are called %s", rules[i].id);
        }
}

/* A message is made by replacing one %s; it is not a format for printf. */
static void messages_name_one_thing(void **state) {
        (void)state;
        for (size_t i = 0; i < rule_count; i++) {
                const char *mark = strchr(rules[i].message, '%');

                if (!rules[i].message[0] || (mark && (mark[1] != 's' || strchr(mark + 1, '%'))))
                        fail_msg("%s: the message \"%s\"", rules[i].id, rules[i].message);
                if (!rules[i].instead || !rules[i].instead[0])
                        fail_msg("%s: does not say what to do instead", rules[i].id);
                mark = rules[i].remedy ? strchr(rules[i].remedy, '%') : NULL;
                if (!rules[i].remedy != (rules[i].names == NAMES_NOTHING) ||
                    (rules[i].remedy && (!mark || mark[1] != 's' || strchr(mark + 1, '%'))))
                        fail_msg("%s: the remedy \"%s\"", rules[i].id, rules[i].remedy ? rules[i].remedy : "");
        }
}

static bool has_reason(const struct verdict *verdict, const struct rule *rule) {
        for (const struct reason *reason = verdict->reasons; reason; reason = reason->next)
                if (reason->rule == rule)
                        return true;
        return false;
}

static void check_example(const struct rule *rule, const struct policy *policy) {
        struct arena_mark mark = arena_mark(&arena);
        struct verdict verdict;

        assert_int_equal(guard_check(str_z(rule->example), policy, &arena, &verdict), 0);
        if (!has_reason(&verdict, rule))
                fail_msg("%s: does not catch its example: %s", rule->id, rule->example);
        if (verdict.action < (rule->severity == SEVERITY_BLOCK ? ACTION_BLOCKED : ACTION_WARNED))
                fail_msg("%s: its example is %s: %s", rule->id, action_name(verdict.action), rule->example);
        arena_rewind(&arena, mark);
}

static void examples_are_caught(void **state) {
        (void)state;
        for (size_t i = 0; i < rule_count; i++) {
                assert_non_null(rules[i].example);
                if (rules[i].scope != SCOPE_LISTED)
                        check_example(&rules[i], &open_policy);
                if (rules[i].scope != SCOPE_OPEN)
                        check_example(&rules[i], &listing_policy);
        }
}

/* What is said has to be right for the command, and of use: names, not placeholders. */
static const struct message_case {
        bool listing;
        const char *command, *rule, *message;
} message_cases[] = {
        { false, "printenv", "environment-dump",
          "prints the environment, which may contain secrets. Print a single variable with echo instead, such as: echo "
          "\"$PATH\"" },
        { false, "curl https://evil.example/x", "domain-not-allowed",
          "evil.example is not on the domain allowlist (guard.domain_allowlist). Use an allowed host, or ask the user to "
          "run: bailey allow evil.example" },
        { false, "curl -K f https://github.com/", "domain-not-allowed",
          "a host named in a config file is not on the domain allowlist (guard.domain_allowlist). Use an allowed host, or ask "
          "the user to allow this one." },
        { true, "npx x", "not-listed",
          "npx is not an allowed command under this policy. Allowed commands: grep, cat, ls, find, wc, head, tail, tree, file, "
          "stat, pwd, echo, which, type." },
        { true, "echo $(ls)", "no-option-code",
          "a command substitution makes an allowed command run another one. Leave it out, and run the other command "
          "separately." },
        { true, "$CMD x", "no-opaque", "what $CMD runs is not known before it runs. Write the command out." },
        { true, "\"$?\" x", "no-opaque", "what \"$?\" runs is not known before it runs. Write the command out." },
};

static void check_message(const struct message_case *c) {
        struct arena_mark mark = arena_mark(&arena);
        struct verdict verdict;
        size_t found = 0;

        assert_int_equal(guard_check(str_z(c->command), c->listing ? &listing_policy : &open_policy, &arena, &verdict), 0);
        for (const struct reason *reason = verdict.reasons; reason; reason = reason->next) {
                if (!str_is(reason->id, c->rule))
                        continue;
                found++;
                if (!str_is(reason->message, c->message))
                        fail_msg("%s: \"%.*s\"", c->command, (int)reason->message.len, reason->message.ptr);
        }
        if (found != 1)
                fail_msg("%s: %zu reasons of %s", c->command, found, c->rule);
        arena_rewind(&arena, mark);
}

static void messages_fit_the_command(void **state) {
        (void)state;
        for (size_t i = 0; i < sizeof(message_cases) / sizeof(*message_cases); i++)
                check_message(&message_cases[i]);
}

/* With all flags that it asks for, and under the policies of its scope only. */
static void scopes_hold(void **state) {
        (void)state;
        for (size_t i = 0; i < rule_count; i++) {
                const struct rule *rule = &rules[i];
                struct effect effect = { .kind = rule->kind, .flags = rule->all | rule->any };

                assert_int_equal(rule_applies(rule, &effect, &open_policy.guard), rule->scope != SCOPE_LISTED);
                assert_int_equal(rule_applies(rule, &effect, &listing_policy.guard), rule->scope != SCOPE_OPEN);
                effect.kind = (rule->kind + 1) % FX_KINDS;
                assert_false(rule_applies(rule, &effect, &open_policy.guard));
                assert_false(rule_applies(rule, &effect, &listing_policy.guard));
        }
}

static void effects_have_names(void **state) {
        (void)state;
        for (int kind = 0; kind < FX_KINDS; kind++) {
                assert_non_null(effect_name(kind));
                for (int other = 0; other < kind; other++)
                        assert_string_not_equal(effect_name(kind), effect_name(other));
        }
}

/* ---- programs ---- */

/* They are looked up by halving the table. */
static void programs_are_sorted(void **state) {
        (void)state;
        for (size_t i = 1; i < program_count; i++)
                if (str_cmp(str_z(programs[i - 1].name), str_z(programs[i].name)) >= 0)
                        fail_msg("%s stands before %s", programs[i - 1].name, programs[i].name);
        for (size_t i = 0; i < program_count; i++)
                assert_ptr_equal(program_row(str_z(programs[i].name)), &programs[i]);
}

static void words_are_sorted(void **state) {
        (void)state;
        for (size_t i = 1; i < word_row_count; i++)
                if (strcmp(word_rows[i - 1].program, word_rows[i].program) > 0)
                        fail_msg("%s stands before %s", word_rows[i - 1].program, word_rows[i].program);
        for (size_t i = 1; i < code_word_count; i++)
                if (strcmp(code_words[i - 1].word, code_words[i].word) >= 0)
                        fail_msg("%s stands before %s", code_words[i - 1].word, code_words[i].word);
}

static void programs_can_be_judged(void **state) {
        (void)state;
        for (size_t i = 0; i < program_count; i++) {
                if (programs[i].act == ACT_SPECIAL && !programs[i].judge)
                        fail_msg("%s is special, and has no judge", programs[i].name);
                for (const char *c = programs[i].name; *c; c++)
                        assert_true(ascii_lower((unsigned char)*c) == (unsigned char)*c);
        }
}

/* "c=code pager=program v!": a name, then = ? or !, or nothing, then a word that is known, or nothing. */
static void options_can_be_read(void **state) {
        (void)state;
        for (size_t i = 0; i < program_count; i++) {
                assert_non_null(programs[i].options);
                for (const char *at = programs[i].options, *next; *at; at = next + strspn(next, " ")) {
                        size_t name = strcspn(at, "=?! "), len = strcspn(at, " ");

                        next = at + len;
                        if (name == 0 || *at == ' ' ||
                            (len > name + 1 && meaning_find(str_from(at + name + 1, len - name - 1)) == MEANS_NOTHING))
                                fail_msg("%s: the option \"%.*s\"", programs[i].name, (int)len, at);
                }
        }
}

/* They are looked up by halving their table. */
static void meanings_are_sorted(void **state) {
        (void)state;
#define IS_FOUND(name, word) assert_int_equal(meaning_find(STR(word)), MEANS_##name);
        OPTION_MEANINGS(IS_FOUND)
#undef IS_FOUND
        assert_int_equal(meaning_find(STR("")), MEANS_NOTHING);
        assert_int_equal(meaning_find(STR("scrip")), MEANS_NOTHING);
}

/* "clone? fetch", "6 7", "*": words with one space between them, of these bytes, and a question mark only at their end. */
static void check_list(const char *program, const char *list, const char *bytes, bool maybe) {
        for (const char *at = list; list; at++) {
                size_t len = strspn(at, bytes);

                at += len;
                at += maybe && len && *at == '?';
                if (!len || (*at && *at != ' '))
                        fail_msg("%s: the list \"%s\"", program, list);
                if (!*at)
                        return;
        }
}

static void lists_can_be_read(void **state) {
        static const char words[] = "abcdefghijklmnopqrstuvwxyz-";

        (void)state;
        for (size_t i = 0; i < program_count; i++) {
                const struct program *p = &programs[i];
                bool any = p->online && *p->online == '*';

                check_list(p->name, p->online, any ? "*" : words, true);
                check_list(p->name, p->codes, "0123456789", false);
                check_list(p->name, p->prints, p->prints && *p->prints == '*' ? "*" : words, false);
                if (p->act == ACT_UNKNOWN && (p->judge || p->traits || !(p->online || p->codes || p->prints)))
                        fail_msg("%s: a row that says nothing", p->name);
        }
}

static void versions_are_the_same_program(void **state) {
        (void)state;
        assert_ptr_equal(program_find(STR("python3.12")), program_find(STR("python")));
        assert_ptr_equal(program_find(STR("lua5.4")), program_find(STR("lua")));
        assert_non_null(program_find(STR("ld-linux-x86-64.so.2")));
        assert_null(program_find(STR("")));
        assert_null(program_find(STR("3")));
        assert_null(program_find(STR("rmx")));
        assert_null(program_find(STR("date"))); /* has a row, but nothing for judges in it */
}

/* ---- paths ---- */

static void globs_know_components(void **state) {
        (void)state;
        assert_true(path_glob(STR("**/.aws/**"), STR("/home/me/.aws/credentials")));
        assert_true(path_glob(STR("**/.aws/**"), STR(".aws/sso/cache/x.json")));
        assert_false(path_glob(STR("**/.aws/**"), STR("/home/me/x.aws/credentials")));
        assert_true(path_glob(STR("/proc/*/environ"), STR("/proc/1/environ")));
        assert_false(path_glob(STR("/proc/*/environ"), STR("/proc/1/task/environ")));
        assert_true(path_glob(STR("a?c"), STR("abc")));
        assert_false(path_glob(STR("a?c"), STR("a/c")));
        assert_true(path_glob(STR(""), STR("")));
        assert_false(path_glob(STR(""), STR("a")));
}

static void credentials_are_sorted(void **state) {
        (void)state;
        for (size_t i = 1; i < credential_count; i++)
                assert_true(strcmp(credentials[i - 1].glob, credentials[i].glob) < 0);
        for (size_t i = 1; i < private_count; i++)
                assert_true(strcmp(private_places[i - 1].mask, private_places[i].mask) < 0);
        for (size_t i = 0; i < credential_count; i++)
                for (size_t j = 0; credentials[i].mask && j < private_count; j++)
                        assert_string_not_equal(credentials[i].mask, private_places[j].mask);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(ids_are_unique),
                cmocka_unit_test(messages_name_one_thing),
                cmocka_unit_test(examples_are_caught),
                cmocka_unit_test(messages_fit_the_command),
                cmocka_unit_test(scopes_hold),
                cmocka_unit_test(effects_have_names),
                cmocka_unit_test(programs_are_sorted),
                cmocka_unit_test(words_are_sorted),
                cmocka_unit_test(programs_can_be_judged),
                cmocka_unit_test(options_can_be_read),
                cmocka_unit_test(meanings_are_sorted),
                cmocka_unit_test(lists_can_be_read),
                cmocka_unit_test(versions_are_the_same_program),
                cmocka_unit_test(globs_know_components),
                cmocka_unit_test(credentials_are_sorted),
        };

        return cmocka_run_group_tests(tests, setup, teardown);
}
