/*
 * `bailey rules`: what the guard looks for.
 */
#include "cli/requests.h"
#include "format/format.h"

enum { OPTION_JSON, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON, including the messages" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status rules_run(const struct options *options) {
        BUF_AUTO answer;

        buf_init(&answer, ANSWER_MAX);
        (options->values[OPTION_JSON] ? format_rules_json : format_rules_text)(&answer);
        return output_write_buffer("rules", &answer);
}

const struct cli_command cli_rules = {
        .name = "rules",
        .operands = "",
        .summary = "list the guard's rules",
        .details = "Prints each rule with its severity, the policies that use it, and an example of a command it matches.\n",
        .options = option_rows,
        .run = rules_run,
};
