/*
 * The commands that there are on Windows. The others need unix sockets, signals, or libraries that are not built for it.
 */
#include "cli/command.h"

/* clang-format off */
const struct cli_command *const cli_commands[] = {
        &cli_run,
        &cli_test,
        &cli_parse,
        &cli_rules,
        &cli_doctor,
        &cli_config,
        &cli_env,
        &cli_trust,
        &cli_audit,
        &cli_help,
        NULL,
};
/* clang-format on */

const char *const cli_absent[] = { "allow",   "apply",   "aside",  "batch", "completion", "container", "deny",
                                   "diff",    "discard", "home",   "hook",  "import",     "kill",      "mcp",
                                   "restore", "stages",  "status", "tmp",   "undo",       "why",       NULL };
const char cli_system[] = "Windows";

const struct cli_hidden cli_hidden[] = { {} };
