/*
 * What a command of the program is: one row in the table of main.c, and a file with the same name.
 */
#ifndef BAILEY_CLI_COMMAND_H
#define BAILEY_CLI_COMMAND_H

#include "cli/options.h"

/* How the program ends, whatever the command. */
enum exit_status {
        EXIT_DONE = 0,
        EXIT_PROBLEM = 1,  /* the answer is no, or could not be given */
        EXIT_USAGE = 2,    /* asked in the wrong way, or for what cannot be read */
        EXIT_TROUBLE = 3,  /* the same, where 2 is an answer */
        EXIT_NO_RUN = 125, /* the same, where every lower number may be a command's */
};

struct cli_command {
        const char *name;
        const char *operands; /* as --help names them */
        const char *summary;  /* one line, for the list of commands */
        const char *details;  /* paragraphs, each line ended */
        const struct option_row *options;
        enum exit_status usage; /* how it ends when it is asked in the wrong way; 0: EXIT_USAGE */
        enum exit_status (*run)(const struct options *options);
};

/* The last row of every command's options; main.c acts on it. */
#define OPTION_ROW_HELP \
        { "help", 'h', NULL, "say this" }

extern const struct cli_command cli_audit;
extern const struct cli_command cli_config;
extern const struct cli_command cli_doctor;
extern const struct cli_command cli_env;
extern const struct cli_command cli_parse;
extern const struct cli_command cli_rules;
extern const struct cli_command cli_run;
extern const struct cli_command cli_test;
extern const struct cli_command cli_trust;

/* policy.c: loads a policy for the workspace (NULL: the present directory) and tells the user what has to be told about
 * it. NULL when that failed, which has been said. */
struct bailey_policy;
struct bailey_policy *policy_from_options(const char *name, const char *workspace, const char *config,
                                          const char *const *overrides);

#endif
