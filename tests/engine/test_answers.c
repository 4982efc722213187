/*
 * What the library hands out as data: complete, and valid without the policy that it was asked of.
 */
#include "tests/test.h"

#include <string.h>

#include "bailey.h"
#include "base/str.h"

static struct bailey_policy *policy_of(const char *const *overrides) {
        const struct bailey_policy_options options = { .overrides = overrides };
        struct bailey_policy *policy;
        char error[256];

        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0)
                fail_msg("%s", error);
        return policy;
}

static struct str str_of(struct bailey_text text) {
        return str_from(text.text, text.length);
}

/* A pattern belongs to the policy, and words to the text. */
static void a_verdict(void **state) {
        static const char *const overrides[] = { "guard.dangerous_patterns=forbidden", NULL };
        struct bailey_policy *policy = policy_of(overrides);
        char text[] = "echo $(ls a) forbidden";
        struct bailey_verdict verdict;

        (void)state;
        assert_int_equal(bailey_check(policy, text, sizeof(text) - 1, &verdict), BAILEY_BLOCKED);
        bailey_policy_free(policy);
        memset(text, 'x', sizeof(text));
        assert_int_equal(verdict.action, BAILEY_BLOCKED);
        assert_false(verdict.bypassed || verdict.would_block || verdict.empty);
        assert_true(verdict.reason_count == 1 && verdict.effect_count >= 1);
        assert_str_equal(str_of(verdict.reasons[0].rule), STR("user-pattern"));
        assert_true(str_ends(str_of(verdict.reasons[0].message), STR(": forbidden")));
        assert_true(verdict.reasons[0].blocks);
        assert_int_equal(verdict.command_count, 2);
        assert_int_equal(verdict.commands[0].count, 3);
        assert_str_equal(str_of(verdict.commands[0].words[2]), STR("forbidden"));
        assert_str_equal(str_of(verdict.commands[1].words[0]), STR("ls"));
        bailey_verdict_free(&verdict);
        assert_null(verdict.memory);
}

static void a_verdict_on_nothing(void **state) {
        struct bailey_policy *policy = policy_of(NULL);
        struct bailey_verdict verdict;

        (void)state;
        assert_int_equal(bailey_check(policy, "# a comment", 11, &verdict), BAILEY_ALLOWED);
        assert_true(verdict.empty);
        assert_int_equal(verdict.reason_count + verdict.command_count + verdict.effect_count, 0);
        bailey_verdict_free(&verdict);
        assert_int_equal(bailey_check(policy, "a=1", 3, &verdict), BAILEY_ALLOWED);
        assert_false(verdict.empty);
        assert_int_equal(verdict.command_count, 0);
        bailey_verdict_free(&verdict);
        bailey_policy_free(policy);
}

static void rules_and_keys(void **state) {
        struct bailey_config_keys keys;
        struct bailey_rule rule;
        size_t count = 0, found = 0;

        (void)state;
        for (; bailey_rule(count, &rule); count++)
                assert_true(*rule.id && *rule.policies && *rule.effect && *rule.message && *rule.example);
        assert_true(count > 20);
        assert_int_equal(bailey_config_keys(&keys), 0);
        for (size_t i = 0; i < keys.count; i++) {
                const struct bailey_config_key *key = &keys.items[i];

                assert_true(*key->section && *key->name && *key->help);
                assert_string_not_equal(key->section, "guard.dangerous_patterns");
                if (strcmp(key->section, "guard") == 0 && strcmp(key->name, "mode") == 0) {
                        assert_string_equal(key->words[0], "enforce");
                        found++;
                } else if (strcmp(key->section, "container.security_flags") == 0) {
                        found++;
                }
        }
        assert_true(found >= 2);
        bailey_config_keys_free(&keys);
}

static void policies_and_variables(void **state) {
        static const char *const overrides[] = { "env.set=LANG=C", "sandbox.network=inherit", NULL };
        static const char *const environment[] = { "HOME=/root", "A_TOKEN=secret", NULL };
        struct bailey_policy *policy = policy_of(overrides);
        struct bailey_policy_names names;
        struct bailey_variables variables;
        char error[256];

        (void)state;
        assert_int_equal(bailey_env_show(policy, environment, &variables), 0);
        bailey_policy_free(policy);
        assert_string_equal(variables.policy, "default");
        assert_int_equal(variables.count, 3);
        assert_str_equal(str_of(variables.items[0].name), STR("HOME"));
        assert_int_equal(variables.items[0].action, BAILEY_VARIABLE_PASSED);
        assert_int_equal(variables.items[1].action, BAILEY_VARIABLE_SET);
        assert_str_equal(str_of(variables.items[2].name), STR("A_TOKEN"));
        assert_int_equal(variables.items[2].action, BAILEY_VARIABLE_DROPPED);
        assert_string_equal(variables.items[2].rule, "*TOKEN");
        assert_null(strstr(variables.items[2].reason, "secret="));
        bailey_variables_free(&variables);
        assert_int_equal(bailey_config_policies(NULL, &names, error, sizeof(error)), 0);
        assert_true(names.count >= 3);
        assert_string_equal(names.items[0].name, "default");
        assert_null(names.items[0].file);
        bailey_policy_names_free(&names);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_verdict),
                cmocka_unit_test(a_verdict_on_nothing),
                cmocka_unit_test(rules_and_keys),
                cmocka_unit_test(policies_and_variables),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
