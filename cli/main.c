/*
 * The program: finds the command, reads its options, runs it, and makes sure that its answer was written.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/command.h"

static enum exit_status help_run(const struct options *options);

static const struct option_row help_options[] = { OPTION_ROW_HELP, {} };

static const struct cli_command cli_help = {
        .name = "help",
        .operands = "[COMMAND]",
        .summary = "say how the program, or a command of it, is used",
        .details = "",
        .options = help_options,
        .run = help_run,
};

static const struct cli_command *const commands[] = { &cli_run,    &cli_test, &cli_parse, &cli_rules, &cli_doctor,
                                                      &cli_config, &cli_env,  &cli_trust, &cli_audit, &cli_help };

enum { COMMAND_COUNT = sizeof(commands) / sizeof(*commands), HELP_MAX = 1 << 20 };

enum { OPTION_VERSION, OPTION_HELP };

static const struct option_row program_options[] = {
        [OPTION_VERSION] = { "version", 'V', NULL, "say which version this is" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

/* ---- help ---- */

static void program_help(FILE *stream) {
        BUF_AUTO out;

        buf_init(&out, HELP_MAX);
        buf_append(&out, STR("usage: bailey COMMAND [OPTION...] [OPERAND...]\n\nReads bash commands before they run, and runs "
                             "them inside walls.\n\n"));
        for (size_t i = 0; i < COMMAND_COUNT; i++)
                buf_format(&out, "  %-12s %s\n", commands[i]->name, commands[i]->summary);
        buf_char(&out, '\n');
        options_help(program_options, &out);
        buf_append(&out, STR("\nbailey COMMAND --help says more.\n"));
        fwrite(out.ptr, 1, out.len, stream);
}

static void command_help(const struct cli_command *command) {
        BUF_AUTO out;

        buf_init(&out, HELP_MAX);
        buf_format(&out, "usage: bailey %s [OPTION...] %s\n\n%s\n", command->name, command->operands, command->details);
        options_help(command->options, &out);
        fwrite(out.ptr, 1, out.len, stdout);
}

/* ---- commands ---- */

static const struct cli_command *command_find(const char *name) {
        const char *names[COMMAND_COUNT], *near;

        for (size_t i = 0; i < COMMAND_COUNT; i++) {
                if (strcmp(commands[i]->name, name) == 0)
                        return commands[i];
                names[i] = commands[i]->name;
        }
        near = name_nearest(name, names, COMMAND_COUNT, sizeof(*names));
        if (near)
                log_line("no command is called %s; did you mean %s?", name, near);
        else
                log_line("no command is called %s; see bailey --help", name);
        return NULL;
}

static enum exit_status help_run(const struct options *options) {
        const struct cli_command *command;

        if (options->operand_count == 0) {
                program_help(stdout);
                return EXIT_DONE;
        }
        command = command_find(options->operands[0]);
        if (!command)
                return EXIT_USAGE;
        command_help(command);
        return EXIT_DONE;
}

static bool help_wanted(const struct option_row *table, const struct options *options) {
        for (size_t i = 0; table[i].name; i++)
                if (strcmp(table[i].name, "help") == 0)
                        return options->values[i];
        return false;
}

static enum exit_status command_run(const struct cli_command *command, int argc, char **argv) {
        struct options options;
        struct err err;

        if (options_read(command->options, argc, argv, &options, &err) < 0) {
                log_line("%s: %s", command->name, err.msg);
                return command->usage ? command->usage : EXIT_USAGE;
        }
        if (help_wanted(command->options, &options)) {
                command_help(command);
                return EXIT_DONE;
        }
        return command->run(&options);
}

/* Options that stand where the command should. */
static enum exit_status program_run(int argc, char **argv) {
        struct options options;
        struct err err;

        if (options_read(program_options, argc, argv, &options, &err) < 0) {
                log_line("%s", err.msg);
                return EXIT_USAGE;
        }
        if (options.values[OPTION_VERSION])
                printf("bailey %s\n", bailey_version());
        else if (options.values[OPTION_HELP])
                program_help(stdout);
        else
                log_line("no command given; see bailey --help");
        return options.values[OPTION_VERSION] || options.values[OPTION_HELP] ? EXIT_DONE : EXIT_USAGE;
}

/* Not for people: a wrapper starts it, see sandbox/bwrap.c. */
static enum exit_status run_inside(void) {
        char error[256];

        bailey_run_inside(error, sizeof(error));
        log_line("%s", error);
        return EXIT_NO_RUN;
}

static enum exit_status run(int argc, char **argv) {
        const struct cli_command *command;

        if (argc == 0) {
                program_help(stderr);
                return EXIT_USAGE;
        }
        if (argv[0][0] == '-')
                return program_run(argc, argv);
        if (strcmp(argv[0], "__inside") == 0)
                return run_inside();
        command = command_find(argv[0]);
        return command ? command_run(command, argc - 1, argv + 1) : EXIT_USAGE;
}

int main(int argc, char **argv) {
        static char output[64 << 10];
        enum exit_status status;

        setvbuf(stdout, output, _IOFBF, sizeof(output));
        status = run(argc > 0 ? argc - 1 : 0, argv + 1);
        if (fflush(stdout) != 0 || ferror(stdout)) {
                log_line("cannot write the answer: %s", strerror(errno));
                return EXIT_PROBLEM;
        }
        return (int)status;
}
