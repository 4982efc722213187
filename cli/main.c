/*
 * The program: finds the command, reads its options, runs it, and makes sure that its answer was written.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bailey.h"
#include "base/log.h"
#include "base/program.h"
#include "cli/command.h"

static enum exit_status help_run(const struct options *options);

static const struct option_row help_options[] = { OPTION_ROW_HELP, {} };

const struct cli_command cli_help = {
        .name = "help",
        .operands = "[TOPIC] [SUBTOPIC]",
        .summary = "show help for the program, a command or a subcommand",
        .details = "TOPIC is a command, SUBTOPIC one of its subcommands.\n",
        .options = help_options,
        .run = help_run,
};

enum { COMMANDS_MAX = 32 };

enum { OPTION_VERSION, OPTION_HELP };

const struct option_row cli_options[] = {
        [OPTION_VERSION] = { "version", 'V', NULL, "print the version" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

/* ---- finding ---- */

static const struct cli_command *command_find(const char *name) {
        const char *names[COMMANDS_MAX], *near;
        size_t count = 0;

        for (; count < COMMANDS_MAX && cli_commands[count]; count++) {
                if (strcmp(cli_commands[count]->name, name) == 0)
                        return cli_commands[count];
                names[count] = cli_commands[count]->name;
        }
        for (const char *const *absent = cli_absent; *absent; absent++)
                if (strcmp(*absent, name) == 0) {
                        log_line("command '%s' is not available on %s", name, cli_system);
                        return NULL;
                }
        near = name_nearest(name, names, count, sizeof(*names));
        if (near)
                log_line("unknown command '%s'; did you mean '%s'?", name, near);
        else
                log_line("unknown command '%s'; see bailey --help", name);
        return NULL;
}

static const struct cli_subcommand *subcommand_find(const struct cli_command *command, const char *name) {
        const struct cli_subcommand *row = command->subcommands;
        const char *near;

        while (row && row->name && strcmp(row->name, name) != 0)
                row++;
        if (row && row->name)
                return row;
        near = row ? name_nearest(name, command->subcommands, (size_t)(row - command->subcommands), sizeof(*row)) : NULL;
        if (near)
                log_line("%s: unknown subcommand '%s'; did you mean '%s'?", command->name, name, near);
        else
                log_line("%s: unknown subcommand '%s'; see bailey %s --help", command->name, name, command->name);
        return NULL;
}

/* ---- help ---- */

static void print_program_help(FILE *stream) {
        BUF_AUTO out;

        buf_init(&out, HELP_MAX);
        help_program(cli_commands, cli_options, &out);
        fwrite(out.ptr, 1, out.len, stream);
}

static void print_help(const struct cli_command *command, const struct cli_subcommand *subcommand) {
        BUF_AUTO out;

        buf_init(&out, HELP_MAX);
        help_command(command, subcommand, &out);
        fwrite(out.ptr, 1, out.len, stdout);
}

static enum exit_status help_run(const struct options *options) {
        const struct cli_subcommand *subcommand = NULL;
        const struct cli_command *command;

        if (options->operand_count == 0) {
                print_program_help(stdout);
                return EXIT_DONE;
        }
        command = command_find(options->operands[0]);
        if (command && options->operand_count > 1)
                subcommand = subcommand_find(command, options->operands[1]);
        if (!command || (options->operand_count > 1 && !subcommand))
                return EXIT_USAGE;
        print_help(command, subcommand);
        return EXIT_DONE;
}

static bool help_wanted(const struct option_row *table, const struct options *options) {
        for (size_t i = 0; table[i].name; i++)
                if (strcmp(table[i].name, "help") == 0)
                        return options->values[i];
        return false;
}

/* ---- commands ---- */

static enum exit_status wrong_usage(const struct cli_command *command, const struct cli_subcommand *subcommand,
                                    const char *message) {
        const char *space = subcommand ? " " : "", *name = subcommand ? subcommand->name : "";

        if (str_ends(str_z(message), STR("?"))) /* it suggests another name */
                log_line("%s%s%s: %s", command->name, space, name, message);
        else
                log_line("%s%s%s: %s; see bailey %s%s%s --help", command->name, space, name, message, command->name, space,
                         name);
        return command->usage ? command->usage : EXIT_USAGE;
}

/* Options of another subcommand would be overlooked in silence. */
static int options_check(const struct option_row *table, const char *name, const struct options *options, struct err *err) {
        for (size_t i = 0; i < options->given_count; i++) {
                const struct option_row *row = &table[options->given[i].row];

                if (!option_is_of(row, name))
                        return err_set(err, ERR_INVALID, "option --%s is only valid for: %s", row->name, row->of);
        }
        return 0;
}

/* Takes the subcommand's name off the operands. NULL: none was named, and none is the default. -1: no such one. */
static int subcommand_take(const struct cli_command *command, struct options *options, const struct cli_subcommand **ret) {
        const char *name = command->by_default;

        *ret = NULL;
        if (!command->subcommands)
                return 0;
        if (options->operand_count > 0) {
                name = options->operands[0];
                options->operands++;
                options->operand_count--;
        }
        if (name)
                *ret = subcommand_find(command, name);
        return name && !*ret ? -1 : 0;
}

/* `bailey run ls -l`: what follows a program is its own only behind --. */
static enum exit_status wrong_option(const struct cli_command *command, const char *first, const char *message) {
        bool runs = command->operands && strstr(command->operands, "-- PROGRAM");

        if (!runs || first[0] == '-' || !str_starts(str_z(message), STR("unknown option ")) ||
            str_ends(str_z(message), STR("?")))
                return wrong_usage(command, NULL, message);
        log_line("%s: %s: quote the command, or put -- before a program and its arguments", command->name, message);
        return command->usage ? command->usage : EXIT_USAGE;
}

static enum exit_status command_run(const struct cli_command *command, int argc, char **argv) {
        const struct cli_subcommand *subcommand;
        struct options options;
        struct err err;
        bool named;

        if (options_read(command->options, argc, argv, &options, &err) < 0)
                return wrong_option(command, argv[0], err.msg);
        named = options.operand_count > 0;
        if (subcommand_take(command, &options, &subcommand) < 0)
                return command->usage ? command->usage : EXIT_USAGE;
        if (help_wanted(command->options, &options)) {
                print_help(command, named ? subcommand : NULL);
                return EXIT_DONE;
        }
        if (!subcommand && !command->run)
                return wrong_usage(command, NULL, "no subcommand given");
        if (options_check(command->options, subcommand ? subcommand->name : command->name, &options, &err) < 0 ||
            operands_check(subcommand          ? subcommand->operands
                           : command->operands ? command->operands
                                               : "",
                           &options, &err) < 0)
                return wrong_usage(command, subcommand, err.msg);
        return subcommand ? subcommand->run(&options) : command->run(&options);
}

/* Options that stand where the command should. */
static enum exit_status program_run(int argc, char **argv) {
        struct options options;
        struct err err;

        if (options_read(cli_options, argc, argv, &options, &err) < 0) {
                log_line(str_ends(str_z(err.msg), STR("?")) ? "%s" : "%s; see bailey --help", err.msg);
                return EXIT_USAGE;
        }
        if (options.values[OPTION_VERSION])
                printf("bailey %s\n", bailey_version());
        else if (options.values[OPTION_HELP])
                print_program_help(stdout);
        else
                log_line("no command given; see bailey --help");
        return options.values[OPTION_VERSION] || options.values[OPTION_HELP] ? EXIT_DONE : EXIT_USAGE;
}

static enum exit_status run(int argc, char **argv) {
        const struct cli_command *command;

        if (argc == 0) {
                print_program_help(stderr);
                return EXIT_USAGE;
        }
        if (argv[0][0] == '-')
                return program_run(argc, argv);
        for (const struct cli_hidden *hidden = cli_hidden; hidden->name; hidden++)
                if (strcmp(argv[0], hidden->name) == 0)
                        return hidden->run(argc - 1, argv + 1);
        command = command_find(argv[0]);
        return command ? command_run(command, argc - 1, argv + 1) : EXIT_USAGE;
}

int main(int argc, char **argv) {
        static char output[64 << 10];
        enum exit_status status;

        if (program_begin(&argc, &argv) < 0) {
                log_line("out of memory");
                return EXIT_PROBLEM;
        }
        setvbuf(stdout, output, _IOFBF, sizeof(output));
        status = run(argc > 0 ? argc - 1 : 0, argv + 1);
        if (fflush(stdout) != 0 || ferror(stdout)) {
                log_line("cannot write to standard output: %s", strerror(errno));
                return EXIT_PROBLEM;
        }
        return (int)status;
}
