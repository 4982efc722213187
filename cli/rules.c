/*
 * `bailey rules`: what the guard looks for.
 */
#include "bailey.h"
#include "base/log.h"
#include "cli/batch.h"

enum { OPTION_JSON, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON, including the messages" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status rules_run(const struct options *options) {
        char *answer;
        size_t length;

        if (bailey_rules(options->values[OPTION_JSON] ? BAILEY_ANSWER_JSON : BAILEY_ANSWER_TEXT, &answer, &length) < 0) {
                log_line("rules: out of memory");
                return EXIT_PROBLEM;
        }
        batch_write(answer, length);
        bailey_free(answer);
        return EXIT_DONE;
}

const struct cli_command cli_rules = {
        .name = "rules",
        .operands = "",
        .summary = "list the guard's rules",
        .details = "Prints each rule with its severity, the policies that use it, and an example of a command it matches.\n",
        .options = option_rows,
        .run = rules_run,
};
