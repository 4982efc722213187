/*
 * The record through the public header.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bailey.h"
#include "tests/test.h"

static void check(const struct bailey_policy *policy, const char *command) {
        struct bailey_verdict verdict;

        assert_true(bailey_check(policy, command, strlen(command), &verdict) >= 0);
        bailey_verdict_free(&verdict);
}

static size_t count(const char *text, const char *part) {
        size_t found = 0;

        for (; (text = strstr(text, part)); text++)
                found++;
        return found;
}

/* Without an environment there is no file, and questions are answered and remembered all the same. */
static void test_recent(void **state) {
        static const char *const overrides[] = { "audit.ring_size=3", NULL };
        const struct bailey_policy_options options = { .overrides = overrides };
        struct bailey_audit_check audit;
        struct bailey_policy *policy;
        char error[256], *text;
        size_t length;

        (void)state;
        assert_int_equal(bailey_policy_load(&options, &policy, error, sizeof(error)), 0);
        for (int i = 0; i < 5; i++)
                check(policy, "rm -rf /");
        check(policy, "ls");
        assert_int_equal(bailey_audit_recent(policy, 100, &text, &length), 0);
        assert_int_equal(strlen(text), length);
        assert_int_equal(count(text, "\"kind\":\"tested\""), 3);
        assert_int_equal(count(text, "\"rule\":\"recursive-delete-root\""), 2);
        bailey_free(text);
        assert_int_equal(bailey_audit_recent(policy, 1, &text, &length), 0);
        assert_int_equal(count(text, "\"command\":\"ls\""), 1);
        assert_int_equal(count(text, "\"kind\""), 1);
        bailey_free(text);
        assert_int_equal(bailey_audit_verify(policy, &audit, error, sizeof(error)), -1);
        assert_non_null(strstr(error, "cannot find the audit log"));
        bailey_policy_free(policy);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(test_recent) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
