/*
 * All commands of the program, in the order in which its help has them.
 */
#include "bailey.h"
#include "base/log.h"
#include "cli/command.h"

/* clang-format off */
const struct cli_command *const cli_commands[] = {
        &cli_run,
        &cli_batch,
        &cli_mcp,
        &cli_hook,
        &cli_status,
        &cli_allow,
        &cli_deny,
        &cli_kill,
        &cli_stages,
        &cli_diff,
        &cli_apply,
        &cli_undo,
        &cli_discard,
        &cli_aside,
        &cli_restore,
        &cli_home,
        &cli_tmp,
        &cli_test,
        &cli_parse,
        &cli_rules,
        &cli_doctor,
        &cli_config,
        &cli_import,
        &cli_env,
        &cli_trust,
        &cli_why,
        &cli_learn,
        &cli_audit,
        &cli_container,
        &cli_completion,
        &cli_help,
        NULL,
};
/* clang-format on */

const char *const cli_absent[] = { NULL };
const char cli_system[] = "this system";

/* A wrapper starts it, see sandbox/bwrap.c. */
static enum exit_status run_inside(int argc, char **argv) {
        char error[256];

        (void)argc;
        (void)argv;
        bailey_run_inside(error, sizeof(error));
        log_line("%s", error);
        return EXIT_NO_RUN;
}

/* The first for wrappers, the next for shells, the last for docs/make. */
const struct cli_hidden cli_hidden[] = {
        { "__inside", run_inside },
        { "__complete", complete_run },
        { "__tables", tables_run },
        {},
};
