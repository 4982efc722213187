/*
 * bailey doctor: which sandboxes work here, and what keeps the others from it.
 */
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "cli/command.h"
#include "format/format.h"

enum { OPTION_JSON, OPTION_POLICY, OPTION_CONFIG, OPTION_WORKSPACE, OPTION_COLOR, OPTION_HELP };
enum { MEASURE_MS = 2000 };

static const struct option_row option_rows[] = {
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON" },
        [OPTION_POLICY] = { "policy", 'p', "POLICY", "check for this policy (default: \"default\")" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "read an additional config file" },
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "check for this workspace; default: the current directory" },
        [OPTION_COLOR] = OPTION_ROW_COLOR,
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status doctor_run(const struct options *options) {
        const char *const *given = options->values;
        POLICY_AUTO policy = policy_from_options(given[OPTION_POLICY], given[OPTION_WORKSPACE], given[OPTION_CONFIG], NULL);
        struct bailey_backends backends;
        struct bailey_homes stale = {};
        char error[512];
        BUF_AUTO answer;
        int fine;

        buf_init(&answer, ANSWER_MAX);
        if (!policy)
                return EXIT_USAGE;
        fine = bailey_doctor(policy, (const char *const *)environ, &backends);
        if (bailey_home_list(policy, (const char *const *)environ, BAILEY_HOME_STALE, NULL, MEASURE_MS, &stale, error,
                             sizeof(error)) < 0)
                log_line("doctor: homes of workspaces: %s", error);
        if (fine >= 0 && given[OPTION_JSON])
                format_backends_json(&backends, &stale, &answer);
        else if (fine >= 0)
                format_backends_text(&backends, &stale, paint_wanted(given[OPTION_COLOR]), &answer);
        bailey_homes_free(&stale);
        if (fine >= 0)
                bailey_backends_free(&backends);
        if (fine < 0 || answer.failed) {
                log_line("doctor: out of memory");
                return EXIT_USAGE;
        }
        output_write(answer.ptr, answer.len);
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
        .details = "Runs a test command with every backend. Shows what each one does not enforce, how it enforces limits, and "
                   "whether "
                   "it is\n"
                   "tested in this project's CI.\n",
        .options = option_rows,
        .exits = exits,
        .run = doctor_run,
};
