/*
 * What --help says of the program, a command, a subcommand: all of it from their rows.
 */
#ifndef BAILEY_CLI_HELP_H
#define BAILEY_CLI_HELP_H

#include "base/buf.h"
#include "cli/command.h"

enum { HELP_MAX = 1 << 20 };

void help_program(const struct cli_command *const *commands, const struct option_row *options, struct buf *out);

/* `subcommand` may be NULL. */
void help_command(const struct cli_command *command, const struct cli_subcommand *subcommand, struct buf *out);

/* How it ends: its own table, the command's, or the usual one. */
const struct help_row *command_exits(const struct cli_command *command, const struct cli_subcommand *subcommand);

#endif
