/*
 * bailey doctor: which sandboxes work here, and what keeps the others from it.
 */
#include <stdint.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/batch.h"
#include "cli/command.h"
#include "cli/paint.h"

enum { OPTION_JSON, OPTION_POLICY, OPTION_CONFIG, OPTION_WORKSPACE, OPTION_COLOR, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON" },
        [OPTION_POLICY] = { "policy", 'p', "POLICY", "check for this policy; default: default" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "read an additional config file" },
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "check for this workspace; default: an empty directory" },
        [OPTION_COLOR] = OPTION_ROW_COLOR,
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

/* Behind the name of a sandbox, and how it ends. */
static const struct paint_row states[] = {
        { "enforces the policy: ", PAINT_GOOD },
        { "works, but not for this policy: ", PAINT_DOUBTFUL },
        { "does not work: ", PAINT_BAD },
        { "no sandbox: ", PAINT_BAD },
        { "no sandbox enforces the policy: ", PAINT_BAD },
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
        if (given[OPTION_JSON])
                batch_write(text, length);
        else
                paint_write(given[OPTION_COLOR], states, SIZE_MAX, str_from(text, length));
        bailey_free(text);
        return fine ? EXIT_DONE : EXIT_PROBLEM;
}

static const struct help_row exits[] = {
        { "0", "a sandbox enforces everything the policy requires" },
        { "1", "no sandbox does" },
        { "2", "usage error, or the check could not be made" },
        {},
};

const struct cli_command cli_doctor = {
        .name = "doctor",
        .operands = "",
        .summary = "check which sandboxes work here, and how to enable the others",
        .details = "Starts a test command in every sandbox. Shows how each one enforces limits, and how it is tested by this "
                   "project.\n",
        .options = option_rows,
        .exits = exits,
        .run = doctor_run,
};
