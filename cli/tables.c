/*
 * `bailey __tables`: all that the rows of commands and options say, as JSON. Manuals and documents are made from it, and
 * tests prove from it that nothing is missing anywhere.
 */
#include <stdio.h>

#include <jansson.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/values.h"

static json_t *help_rows(const struct help_row *rows) {
        json_t *array = json_array();

        for (; rows && rows->term; rows++)
                json_array_append_new(array, json_pack("{s:s, s:s}", "term", rows->term, "text", rows->text));
        return array;
}

/* The names in a way of writing operands that nothing is known of. */
static void operands_unknown(const char *syntax, json_t *unknown) {
        struct str rest = str_z(syntax ? syntax : "");

        while (rest.len > 0) {
                struct str word = str_take(rest, str_find(rest, ' ')), name = word;

                if (name.ptr[0] == '[')
                        name = str_take(str_skip(name, 1), name.len - 2);
                if (str_ends(name, STR("...")))
                        name = str_take(name, name.len - 3);
                if (name.ptr[0] != '-' && name.ptr[0] != '|' && !values_known(name))
                        json_array_append_new(unknown, json_stringn(name.ptr, name.len));
                rest = str_skip(rest, word.len + 1);
        }
}

/* Those for all subcommands have no "of". */
static json_t *option_rows(const struct option_row *rows, json_t *unknown) {
        json_t *array = json_array();

        for (; rows->name; rows++) {
                char letter[2] = { rows->letter, '\0' };

                json_array_append_new(array, json_pack("{s:s, s:s?, s:s?, s:s, s:s?}", "name", rows->name, "letter",
                                                       rows->letter ? letter : NULL, "argument", rows->argument, "help",
                                                       rows->help, "of", rows->of));
                operands_unknown(rows->argument, unknown);
        }
        return array;
}

static json_t *subcommand_rows(const struct cli_command *command, json_t *unknown) {
        json_t *array = json_array();

        for (const struct cli_subcommand *row = command->subcommands; row && row->name; row++) {
                json_array_append_new(array,
                                      json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "name", row->name, "operands", row->operands,
                                                "summary", row->summary, "details", row->details ? row->details : "", "exits",
                                                help_rows(command_exits(command, row)), "examples", help_rows(row->examples)));
                operands_unknown(row->operands, unknown);
        }
        return array;
}

static json_t *command_row(const struct cli_command *command, json_t *unknown) {
        operands_unknown(command->operands, unknown);
        return json_pack("{s:s, s:s, s:s, s:s, s:b, s:s?, s:o, s:o, s:o, s:o}", "name", command->name, "operands",
                         command->operands ? command->operands : "", "summary", command->summary, "details",
                         command->details ? command->details : "", "runs", command->run != NULL, "default", command->by_default,
                         "options", option_rows(command->options, unknown), "subcommands", subcommand_rows(command, unknown),
                         "exits", help_rows(command_exits(command, NULL)), "examples", help_rows(command->examples));
}

/* The built-in ones. */
static json_t *policy_rows(void) {
        json_t *rows = json_array();
        struct bailey_policy_names names;
        char error[256];

        if (bailey_config_policies(NULL, &names, error, sizeof(error)) < 0) {
                json_decref(rows);
                return NULL;
        }
        for (size_t i = 0; i < names.count; i++)
                json_array_append_new(rows, json_pack("{s:s, s:s?, s:s?}", "name", names.items[i].name, "help",
                                                      names.items[i].help, "file", names.items[i].file));
        bailey_policy_names_free(&names);
        return rows;
}

enum exit_status tables_run(int argc, char **argv) {
        json_t *commands = json_array(), *unknown = json_array(), *all;
        int status;

        (void)argc;
        (void)argv;
        for (size_t i = 0; cli_commands[i]; i++)
                json_array_append_new(commands, command_row(cli_commands[i], unknown));
        all = json_pack("{s:o, s:o, s:o, s:o}", "options", option_rows(cli_options, unknown), "commands", commands, "policies",
                        policy_rows(), "unknown_arguments", unknown);
        status = all ? json_dumpf(all, stdout, JSON_INDENT(1)) : -1;
        json_decref(all);
        fputc('\n', stdout);
        if (status < 0)
                log_line("__tables: out of memory");
        return status < 0 ? EXIT_PROBLEM : EXIT_DONE;
}
