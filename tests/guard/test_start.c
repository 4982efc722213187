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
        const char *effect; /* that is among the effects */
} cases[] = {
        { NULL, "rm -rf *", BAILEY_ALLOWED, "\"" WORKSPACE "/*\"" },
        { WORKSPACE "/a/b", "rm -rf old", BAILEY_ALLOWED, "\"" WORKSPACE "/a/b/old\"" },
        { WORKSPACE "/a", "rm -rf ../doc", BAILEY_ALLOWED, "\"" WORKSPACE "/doc\"" },
        { "/", "rm -rf *", BAILEY_BLOCKED, "\"/*\"" },
        { "/etc", "echo x > hosts", BAILEY_BLOCKED, "\"/etc/hosts\"" },
        { "/etc", "cd /tmp && cd - && echo x > hosts", BAILEY_BLOCKED, "\"/etc/hosts\"" },
        { "/etc", "(cd /tmp); rm passwd", BAILEY_BLOCKED, "\"/etc/passwd\"" },
        { "/etc", "cd " WORKSPACE " && rm passwd", BAILEY_ALLOWED, "\"" WORKSPACE "/passwd\"" },
        { WORKSPACE "/a", "bash -c 'rm -rf /proc/self/cwd/../../../etc'", BAILEY_BLOCKED, "\"/etc\"" },
};

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
                char *text;
                size_t length;

                print_message("# %s in %s\n", cases[i].command, cases[i].start ? cases[i].start : "the workspace");
                assert_int_equal(bailey_check_at(policy, cases[i].start, cases[i].command, strlen(cases[i].command),
                                                 BAILEY_ANSWER_JSON, &text, &length),
                                 cases[i].action);
                if (!strstr(text, cases[i].effect))
                        fail_msg("no %s in %s", cases[i].effect, text);
                bailey_free(text);
        }
        bailey_policy_free(policy);
}

int main(void) {
        const struct CMUnitTest tests[] = { cmocka_unit_test(where_it_starts) };

        return cmocka_run_group_tests(tests, NULL, NULL);
}
