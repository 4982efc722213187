#include "cli/command.h"

#include <stdio.h>

static const struct help_row usual_exits[] = {
        { "0", "done" },
        { "1", "failed" },
        { "2", "usage error, or invalid input" },
        {},
};

const struct help_row *command_exits(const struct cli_command *command, const struct cli_subcommand *subcommand) {
        if (subcommand && subcommand->exits)
                return subcommand->exits;
        return command->exits ? command->exits : usual_exits;
}

/* ---- rows ---- */

static void print_rows(struct str title, const struct help_row *rows, struct buf *out) {
        size_t width = 0;

        if (!rows)
                return;
        buf_append(out, title);
        for (const struct help_row *row = rows; row->term; row++)
                width = strlen(row->term) > width ? strlen(row->term) : width;
        for (const struct help_row *row = rows; row->term; row++)
                buf_format(out, "  %-*s   %s\n", (int)width, row->term, row->text);
}

/* Like all other rows; but an example is long, and reads better under what it is for. */
static void print_examples(const struct help_row *rows, struct buf *out) {
        if (!rows)
                return;
        buf_append(out, STR("\nexamples:\n"));
        for (const struct help_row *row = rows; row->term; row++)
                buf_format(out, "  # %s\n  %s\n", row->text, row->term);
}

/* " FILE", or "[=NAME]". */
struct argument_text {
        char text[64];
};

static struct argument_text argument_text(const struct option_row *row) {
        struct argument_text ret;

        snprintf(ret.text, sizeof(ret.text), "%s%s", option_is_optional(row) ? "[=" : " ",
                 option_is_optional(row) ? row->argument + 1 : row->argument);
        return ret;
}

static size_t option_width(const struct option_row *row) {
        return strlen(row->name) + (row->argument ? strlen(argument_text(row).text) : 0);
}

/* "tail, show: " */
static void print_whose(const char *of, struct buf *out) {
        for (; *of; of++)
                if (*of == ' ')
                        buf_append(out, STR(", "));
                else
                        buf_char(out, *of);
        buf_append(out, STR(": "));
}

/* `of`: only those of this subcommand; NULL: all, and each says whose it is. */
static void print_options(const struct option_row *table, const char *of, struct buf *out) {
        size_t width = 0;

        for (const struct option_row *row = table; row->name; row++)
                if ((!of || option_is_of(row, of)) && option_width(row) > width)
                        width = option_width(row);
        buf_append(out, STR("\noptions:\n"));
        for (const struct option_row *row = table; row->name; row++) {
                if (of && !option_is_of(row, of))
                        continue;
                if (row->letter)
                        buf_format(out, "  -%c, --%s", row->letter, row->name);
                else
                        buf_format(out, "      --%s", row->name);
                if (row->argument)
                        buf_append(out, str_z(argument_text(row).text));
                buf_format(out, "%*s", (int)(width - option_width(row) + 3), "");
                if (!of && row->of)
                        print_whose(row->of, out);
                buf_format(out, "%s\n", row->help);
        }
}

static void print_subcommands(const struct cli_command *command, struct buf *out) {
        const struct cli_subcommand *row;
        size_t width = 0;

        for (row = command->subcommands; row->name; row++)
                if (strlen(row->name) + strlen(row->operands) > width)
                        width = strlen(row->name) + strlen(row->operands);
        buf_append(out, STR("\nsubcommands:\n"));
        for (row = command->subcommands; row->name; row++) {
                int pad = (int)(width - strlen(row->name) - strlen(row->operands));
                bool usual = command->by_default && strcmp(command->by_default, row->name) == 0;

                buf_format(out, "  %s %s%*s   %s%s\n", row->name, row->operands, pad, "", row->summary,
                           usual ? " (default)" : "");
        }
}

/* ---- the texts ---- */

void help_program(const struct cli_command *const *commands, const struct option_row *options, struct buf *out) {
        buf_append(out, STR("usage: bailey COMMAND [OPTION...] [OPERAND...]\n"
                            "\n"
                            "Check bash commands before they run, and run them in a sandbox.\n"
                            "\n"
                            "commands:\n"));
        for (; *commands; commands++)
                buf_format(out, "  %-12s %s\n", (*commands)->name, (*commands)->summary);
        print_options(options, NULL, out);
        buf_append(out, STR("\n"
                            "Run bailey COMMAND --help for details.\n"));
}

static void print_usage(const struct cli_command *command, const struct cli_subcommand *subcommand, struct buf *out) {
        const char *operands = subcommand ? subcommand->operands : command->operands;
        bool optional = !subcommand && command->subcommands && (command->run || command->by_default);

        buf_format(out, "usage: bailey %s", command->name);
        if (subcommand)
                buf_format(out, " %s", subcommand->name);
        else if (command->subcommands)
                buf_append(out, optional ? STR(" [SUBCOMMAND]") : STR(" SUBCOMMAND"));
        buf_format(out, " [OPTION...]%s%s\n\n", operands && *operands ? " " : "", operands ? operands : "");
}

static void print_summary(const char *summary, struct buf *out) {
        buf_char(out, (char)ascii_upper((unsigned char)*summary));
        buf_format(out, "%s.\n", summary + 1);
}

void help_command(const struct cli_command *command, const struct cli_subcommand *subcommand, struct buf *out) {
        const char *details = subcommand ? subcommand->details : command->details;

        print_usage(command, subcommand, out);
        print_summary(subcommand ? subcommand->summary : command->summary, out);
        if (details && *details)
                buf_format(out, "\n%s", details);
        if (!subcommand && command->subcommands)
                print_subcommands(command, out);
        print_options(command->options, subcommand ? subcommand->name : command->subcommands ? NULL : command->name, out);
        print_rows(STR("\nexit status:\n"), command_exits(command, subcommand), out);
        print_examples(subcommand ? subcommand->examples : command->examples, out);
}
