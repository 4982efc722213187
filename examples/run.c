/*
 * Runs a command in a sandbox, and tells how it went: run COMMAND
 *      cc -o run run.c $(pkg-config --cflags --libs bailey)
 */
#include <bailey.h>
#include <stdio.h>

extern char **environ;

int main(int argc, char **argv) {
        const char *const *environment = (const char *const *)environ;
        struct bailey_policy_options options = { .workspace = ".", .environment = environment };
        struct bailey_run_options run = { .command = argv[1], .environment = environment, .timeout_ms = 60000, .capture = 1 };
        struct bailey_policy *policy;
        struct bailey_outcome outcome;
        char error[512];
        int code = 125;

        if (argc != 2) {
                fprintf(stderr, "usage: run COMMAND\n");
                return 2;
        }
        if (bailey_policy_load(&options, &policy, error, sizeof(error)) < 0) {
                fprintf(stderr, "run: %s\n", error);
                return code;
        }
        if (bailey_run(policy, &run, &outcome) == 0) {
                if (outcome.output)
                        fwrite(outcome.output, 1, outcome.output_length, stdout);
                if (outcome.message)
                        printf("%s\n", outcome.message);
                if (outcome.explanation)
                        printf("%s\n", outcome.explanation);
                code = outcome.exit_code;
                printf("exit code %d, sandbox: %s\n", code, outcome.backend ? outcome.backend : "none");
                bailey_outcome_free(&outcome);
        }
        bailey_policy_free(policy);
        return code;
}
