/*
 * What a command of the program is: one row in the table of main.c, and a file with the same name.
 */
#ifndef BAILEY_CLI_COMMAND_H
#define BAILEY_CLI_COMMAND_H

#include "cli/options.h"

/* How the program ends, whatever the command. */
enum exit_status {
        EXIT_DONE = 0,
        EXIT_PROBLEM = 1, /* the answer is no, or could not be given */
        EXIT_USAGE = 2,   /* asked in the wrong way, or for what cannot be read */
};

struct cli_command {
        const char *name;
        const char *operands; /* as --help names them */
        const char *summary;  /* one line, for the list of commands */
        const char *details;  /* paragraphs, each line ended */
        const struct option_row *options;
        enum exit_status (*run)(const struct options *options);
};

/* The last row of every command's options; main.c acts on it. */
#define OPTION_ROW_HELP \
        { "help", 'h', NULL, "say this" }

extern const struct cli_command cli_parse;

#endif
