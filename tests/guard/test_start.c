/*
 * Where a command starts decides what its relative paths are.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bailey.h"

#define WORKSPACE "/tmp/bailey-test-start"

static const struct {
        const char *start; /* NULL: the workspace */
        const char *command;
        enum bailey_action action;
        const char *effect; /* what one of the effects is on */
} cases[] = {
        { NULL, "rm -rf *", BAILEY_WARNED, WORKSPACE "/*" },
        { WORKSPACE "/a/b", "rm -rf old", BAILEY_ALLOWED, WORKSPACE "/a/b/old" },
        { WORKSPACE "/a", "rm -rf ../doc", BAILEY_ALLOWED, WORKSPACE "/doc" },
        { "/", "rm -rf *", BAILEY_BLOCKED, "/*" },
        { "/etc", "echo x > hosts", BAILEY_BLOCKED, "/etc/hosts" },
        { "/etc", "cd /tmp && cd - && echo x > hosts", BAILEY_BLOCKED, "/etc/hosts" },
        { "/etc", "(cd /tmp); rm passwd", BAILEY_BLOCKED, "/etc/passwd" },
        { "/etc", "cd " WORKSPACE " && rm passwd", BAILEY_ALLOWED, WORKSPACE "/passwd" },
        { WORKSPACE "/a", "bash -c 'rm -rf /proc/self/cwd/../../../etc'", BAILEY_BLOCKED, "/etc" },
};

static bool has_effect(const struct bailey_verdict *verdict, const char *subject) {
        for (size_t i = 0; i < verdict->effect_count; i++)
                if (str_is(str_from(verdict->effects[i].subject.text, verdict->effects[i].subject.length), subject))
                        return true;
        return false;
}

static void where_it_starts(void **state) {
        static const char *const environment[] = { "HOME=/proc/nowhere", NULL };
        const struct bailey_policy_options options = { .workspace = WORKSPACE,
                                                       .overrides = (const char *const[]){ "audit.enabled=false", NULL },
                                                       .environment = environment };
        struct bailey_policy *policy;
        char error[256];

        (void)state;
        mkdir(WORKSPACE, 0700);
        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0)
                fail_msg("%s", error);
        rmdir(WORKSPACE);
        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct bailey_verdict verdict;

                print_message("# %s in %s\n", cases[i].command, cases[i].start ? cases[i].start : "the workspace");
                assert_int_equal(
                        bailey_check_at(policy, cases[i].start, 0, cases[i].command, strlen(cases[i].command), &verdict),
                        cases[i].action);
                if (!has_effect(&verdict, cases[i].effect))
                        fail_msg("%s is not among the effects", cases[i].effect);
                bailey_verdict_free(&verdict);
        }
        bailey_policy_free(policy);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(where_it_starts) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
