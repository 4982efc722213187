/*
 * `bailey completion`: what a shell needs to complete command lines of this program.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/shells.h"

static const struct option_row option_rows[] = { OPTION_ROW_HELP, {} };

static const struct {
        const char *name, *script;
} shells[] = { { "bash", shell_bash }, { "zsh", shell_zsh }, { "fish", shell_fish } };

static enum exit_status completion_run(const struct options *options) {
        for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++)
                if (strcmp(shells[i].name, options->operands[0]) == 0)
                        fputs(shells[i].script, stdout);
        return EXIT_DONE;
}

static const struct help_row examples[] = {
        { "eval \"$(bailey completion bash)\"", "for ~/.bashrc" },
        { "eval \"$(bailey completion zsh)\"", "for ~/.zshrc, after compinit" },
        { "bailey completion fish | source", "for ~/.config/fish/config.fish" },
        {},
};

const struct cli_command cli_completion = {
        .name = "completion",
        .operands = "bash|zsh|fish",
        .summary = "print a completion script for a shell",
        .details = "make install and the packages already install these scripts.\n",
        .options = option_rows,
        .examples = examples,
        .run = completion_run,
};
