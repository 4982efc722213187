/*
 * `bailey why`: what stopped a command, and what would allow it.
 */
#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "format/format.h"

enum { OPTION_JSON, OPTION_CONFIG, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "read an additional config file" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status none_found(const char *id) {
        if (id)
                log_line("why: no finished command with the ID '%s' in the audit log; see bailey audit", id);
        else
                log_line("why: no blocked or failed command in the audit log");
        return EXIT_PROBLEM;
}

static enum exit_status why_run(const struct options *options) {
        const char *id = options->operand_count ? options->operands[0] : NULL;
        POLICY_AUTO policy = policy_from_options(NULL, NULL, options->values[OPTION_CONFIG], NULL);
        struct bailey_why why;
        BUF_AUTO answer;
        char error[512];
        int found;

        buf_init(&answer, ANSWER_MAX);
        if (!policy)
                return EXIT_USAGE;
        found = bailey_why(policy, id, &why, error, sizeof(error));
        if (found < 0) {
                log_line("why: %s", error);
                return EXIT_PROBLEM;
        }
        if (found == 0)
                return none_found(id);
        (options->values[OPTION_JSON] ? format_why_json : format_why_text)(&why, &answer);
        bailey_why_free(&why);
        return output_write_buffer("why", &answer);
}

static const struct help_row exits[] = {
        { "0", "the command is explained" },
        { "1", "no such command in the audit log, or no audit log" },
        { "2", "usage error" },
        {},
};

static const struct help_row examples[] = {
        { "bailey why", "explain the newest command that was blocked or failed" },
        { "bailey why 1b9d6bcd", "explain the command with this ID" },
        {},
};

const struct cli_command cli_why = {
        .name = "why",
        .operands = "[ID]",
        .summary = "explain why a command was stopped, and how to allow it",
        .details = "Reads the audit log. For each reason, prints the layer that stopped the command, the path, host or limit, "
                   "the\n"
                   "config line and the option that would allow it, and the access that they give.\n",
        .options = option_rows,
        .exits = exits,
        .examples = examples,
        .run = why_run,
};
