/*
 * Says whether a command may run, and why not, without running it: check COMMAND
 *      cc -o check check.c $(pkg-config --cflags --libs bailey)
 */
#include <bailey.h>
#include <stdio.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv) {
        static const char *const actions[] = { "allowed", "warned", "blocked" };
        struct bailey_policy_options options = { .workspace = ".", .environment = (const char *const *)environ };
        struct bailey_policy *policy;
        struct bailey_verdict verdict;
        char error[512];
        int action;

        if (argc != 2) {
                fprintf(stderr, "usage: check COMMAND\n");
                return 3;
        }
        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0) {
                fprintf(stderr, "check: %s\n", error);
                return 3;
        }
        action = bailey_check(policy, argv[1], strlen(argv[1]), &verdict);
        bailey_policy_free(policy);
        if (action < 0) {
                fprintf(stderr, "check: out of memory\n");
                return 3;
        }
        printf("%s\n", actions[action]);
        for (size_t i = 0; i < verdict.reason_count; i++) {
                const struct bailey_reason *reason = &verdict.reasons[i];

                printf("%.*s: %.*s\n", (int)reason->rule.length, reason->rule.text, (int)reason->message.length,
                       reason->message.text);
        }
        bailey_verdict_free(&verdict);
        return action;
}
