/*
 * bailey doctor: which sandboxes work here, and what keeps the others from it.
 */
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/batch.h"
#include "cli/command.h"

enum { OPTION_JSON, OPTION_POLICY, OPTION_CONFIG, OPTION_WORKSPACE, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "answer in JSON" },
        [OPTION_POLICY] = { "policy", 'p', "NAME", "the policy that has to be enforced; default: default" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "a config file that counts besides the usual ones" },
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "where commands would run; default: an empty directory" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status doctor_run(const struct options *options) {
        const char *const *given = options->values;
        struct bailey_policy *policy;
        char *text;
        size_t length;
        int fine;

        policy = policy_from_options(given[OPTION_POLICY], given[OPTION_WORKSPACE], given[OPTION_CONFIG], NULL);
        if (!policy)
                return EXIT_USAGE;
        fine = bailey_doctor(policy, (const char *const *)environ, given[OPTION_JSON] ? BAILEY_ANSWER_JSON : BAILEY_ANSWER_TEXT,
                             &text, &length);
        bailey_policy_free(policy);
        if (fine < 0) {
                log_line("doctor: out of memory");
                return EXIT_USAGE;
        }
        batch_write(text, length);
        bailey_free(text);
        return fine ? EXIT_DONE : EXIT_PROBLEM;
}

const struct cli_command cli_doctor = {
        .name = "doctor",
        .operands = "",
        .summary = "say which sandboxes work here, and how to get the others",
        .details = "Tries every sandbox for real. Exits 0 when one of them enforces all that the policy needs.\n",
        .options = option_rows,
        .run = doctor_run,
};
