/*
 * `bailey env`: which environment variables reach a command.
 */
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "format/format.h"

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
        POLICY_AUTO policy = policy_from_options(options->values[OPTION_POLICY], options->values[OPTION_WORKSPACE],
                                                 options->values[OPTION_CONFIG], NULL);
        struct bailey_variables variables;
        BUF_AUTO answer;

        buf_init(&answer, ANSWER_MAX);
        if (!policy)
                return EXIT_PROBLEM;
        if (bailey_env_show(policy, (const char *const *)environ, &variables) < 0) {
                log_line("env: out of memory");
                return EXIT_PROBLEM;
        }
        (options->values[OPTION_JSON] ? format_variables_json : format_variables_text)(&variables, &answer);
        bailey_variables_free(&variables);
        return output_write_buffer("env", &answer);
}

const struct cli_command cli_env = {
        .name = "env",
        .operands = "",
        .summary = "show which environment variables are passed to commands",
        .details = "Prints names, never values: variables that are passed, variables that the config sets, and variables that "
                   "are\n"
                   "dropped, with the reason. The [env] section of the config changes the selection. Without a network, bailey "
                   "also\n"
                   "sets variables that make package managers fail at once instead of retrying.\n",
        .options = option_rows,
        .run = env_run,
};
