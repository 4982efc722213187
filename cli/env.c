/*
 * `bailey env`: which environment variables reach a command.
 */
#include <stdio.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/command.h"

enum { OPTION_JSON, OPTION_POLICY, OPTION_CONFIG, OPTION_WORKSPACE, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON" },
        [OPTION_POLICY] = { "policy", 'p', "POLICY", "use this policy instead of the default one" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "read an additional config file" },
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "use the config of this directory instead of the current one" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status env_run(const struct options *options) {
        enum bailey_answer answer = options->values[OPTION_JSON] ? BAILEY_ANSWER_JSON : BAILEY_ANSWER_TEXT;
        struct bailey_policy *policy;
        char *text = NULL;
        size_t length = 0;
        int status;

        policy = policy_from_options(options->values[OPTION_POLICY], options->values[OPTION_WORKSPACE],
                                     options->values[OPTION_CONFIG], NULL);
        if (!policy)
                return EXIT_PROBLEM;
        status = bailey_env_show(policy, (const char *const *)environ, answer, &text, &length);
        bailey_policy_free(policy);
        if (status < 0) {
                log_line("env: out of memory");
                return EXIT_PROBLEM;
        }
        fwrite(text, 1, length, stdout);
        bailey_free(text);
        return EXIT_DONE;
}

const struct cli_command cli_env = {
        .name = "env",
        .operands = "",
        .summary = "show which environment variables are passed to commands",
        .details = "Prints names, never values: variables that are passed, variables that the config sets, and variables that "
                   "are\n"
                   "dropped, with the reason. The [env] section of the config changes the selection.\n",
        .options = option_rows,
        .run = env_run,
};
