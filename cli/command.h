/*
 * What a command of the program is: one row in the table of main.c, and a file with the same name.
 */
#ifndef BAILEY_CLI_COMMAND_H
#define BAILEY_CLI_COMMAND_H

#include "base/buf.h"
#include "cli/options.h"

/* How the program ends, whatever the command. */
enum exit_status {
        EXIT_DONE = 0,
        EXIT_PROBLEM = 1,  /* the answer is no, or could not be given */
        EXIT_USAGE = 2,    /* asked in the wrong way, or for what cannot be read */
        EXIT_TROUBLE = 3,  /* the same, where 2 is an answer */
        EXIT_NO_RUN = 125, /* the same, where every lower number may be a command's */
};

/* A term and what it means: an exit status, an example. NULL ends a table of them. */
struct help_row {
        const char *term, *text;
};

/*
 * Operands are written as people read them: "FILE", "[DIR]", "[ARGUMENT...]", a choice like "bash|zsh|fish", none at all
 * as "". Their number is checked before run() is called, unless there are several forms: "TEXT | --file FILE".
 */

/* A row of a command that has several. Its options are those rows of the command's that are for it. */
struct cli_subcommand {
        const char *name; /* NULL ends the table */
        const char *operands;
        const char *summary;                                    /* one line */
        enum exit_status (*run)(const struct options *options); /* operands[0] is the first one behind the name */
        const char *details;                                    /* the rest of these may be NULL */
        const struct help_row *exits;                           /* the command's */
        const struct help_row *examples;
};

struct cli_command {
        const char *name;
        const char *operands; /* NULL: has subcommands, and takes none itself */
        const char *summary;  /* one line, for the list of commands */
        const char *details;  /* paragraphs, each line ended */
        const struct option_row *options;
        const struct cli_subcommand *subcommands; /* NULL: none */
        const char *by_default;                   /* the subcommand that is meant when none is named; NULL: run() */
        const struct help_row *exits;             /* NULL: the usual ones, of enum exit_status */
        const struct help_row *examples;          /* a command line, and what it is for; NULL: none */
        enum exit_status usage;                   /* how it ends when it is asked in the wrong way; 0: EXIT_USAGE */
        enum exit_status (*run)(const struct options *options); /* NULL: a subcommand has to be named */
};

/* For a command whose answer has colours; its argument is for paint_wanted(). */
#define OPTION_ROW_COLOR \
        { "color", 0, "auto|always|never", "colour the output; auto: on a terminal, unless NO_COLOR is set" }

/* The last row of every command's options; main.c acts on it. */
#define OPTION_ROW_HELP \
        { "help", 'h', NULL, "show this help" }

extern const struct cli_command cli_allow;
extern const struct cli_command cli_apply; /* stage.c */
extern const struct cli_command cli_aside;
extern const struct cli_command cli_audit;
extern const struct cli_command cli_batch;
extern const struct cli_command cli_completion;
extern const struct cli_command cli_config;
extern const struct cli_command cli_container;
extern const struct cli_command cli_deny;
extern const struct cli_command cli_diff;    /* stage.c */
extern const struct cli_command cli_discard; /* stage.c */
extern const struct cli_command cli_doctor;
extern const struct cli_command cli_env;
extern const struct cli_command cli_help; /* main.c */
extern const struct cli_command cli_home;
extern const struct cli_command cli_hook;
extern const struct cli_command cli_import;
extern const struct cli_command cli_kill;
extern const struct cli_command cli_mcp;
extern const struct cli_command cli_parse;
extern const struct cli_command cli_restore; /* aside.c */
extern const struct cli_command cli_rules;
extern const struct cli_command cli_run;
extern const struct cli_command cli_stages; /* stage.c */
extern const struct cli_command cli_status;
extern const struct cli_command cli_test;
extern const struct cli_command cli_tmp;
extern const struct cli_command cli_trust;
extern const struct cli_command cli_undo; /* stage.c */
extern const struct cli_command cli_why;
extern const struct cli_command cli_learn;

/* commands.c: those that there are on this system, and the names of those that there are only on others; NULL-terminated. */
extern const struct cli_command *const cli_commands[];
extern const char *const cli_absent[];
extern const char cli_system[]; /* what it is called */

/* main.c: what can stand in their place. */
extern const struct option_row cli_options[];

/* For programs, not for people. */
struct cli_hidden {
        const char *name; /* NULL ends the table */
        enum exit_status (*run)(int argc, char **argv);
};
extern const struct cli_hidden cli_hidden[];

/* complete.c: `bailey __complete WORD...`, what can stand for the last word. */
enum exit_status complete_run(int argc, char **argv);

/* tables.c: `bailey __tables`, all that the rows say, as JSON. */
enum exit_status tables_run(int argc, char **argv);

/* policy.c: loads a policy for the workspace (NULL: the present directory) and tells the user what has to be told about
 * it. NULL when that failed, which has been said. */
struct bailey_policy;
struct overrides;
struct bailey_policy *policy_from_options(const char *name, const char *workspace, const char *config,
                                          const struct overrides *overrides);
void policy_release(struct bailey_policy **policy);

/* A policy that is freed when the variable goes out of scope. */
#define POLICY_AUTO __attribute__((cleanup(policy_release))) struct bailey_policy *

/*
 * What --help says of the program, a command, a subcommand: all of it from their rows.
 */

enum { HELP_MAX = 1 << 20 };

void help_program(const struct cli_command *const *commands, const struct option_row *options, struct buf *out);

/* `subcommand` may be NULL. */
void help_command(const struct cli_command *command, const struct cli_subcommand *subcommand, struct buf *out);

/* How it ends: its own table, the command's, or the usual one. */
const struct help_row *command_exits(const struct cli_command *command, const struct cli_subcommand *subcommand);

#endif
