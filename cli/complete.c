/*
 * `bailey __complete WORD...`: what can stand for the last of the words that follow `bailey` on a line. The scripts for
 * shells ask it at every TAB, so that they know what the tables know. It never fails, and says nothing of what is wrong.
 *
 * Answers as values_offer() does; and ":command N" where the line goes on with another program, the Nth word.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/values.h"

enum { ANSWER_MAX = 1 << 20 };

/* What the words before the last one mean. */
struct line {
        const struct cli_command *command;
        const struct cli_subcommand *subcommand;
        const struct option_row *asking; /* the option whose argument comes next */
        bool named;                      /* a subcommand, which there may not be */
        int operands;
        int dashes; /* the number of the word behind --; 0: none yet */
        struct value_request request;
};

static void offer_row(const char *before, const char *name, const char *help, struct buf *out) {
        buf_format(out, "%s%s\t%s\n", before, name, help);
}

/* ---- reading the line ---- */

static const struct cli_command *command_named(const char *name) {
        for (size_t i = 0; cli_commands[i]; i++)
                if (strcmp(cli_commands[i]->name, name) == 0)
                        return cli_commands[i];
        return NULL;
}

static const struct cli_subcommand *subcommand_named(const struct cli_command *command, const char *name) {
        for (const struct cli_subcommand *row = command->subcommands; row && row->name; row++)
                if (strcmp(row->name, name) == 0)
                        return row;
        return NULL;
}

/* What an option says that matters for what comes later. */
static void note_value(struct line *line, const struct option_row *row, const char *value) {
        if (strcmp(row->name, "workspace") == 0)
                line->request.workspace = value;
        if (strcmp(row->name, "config") == 0)
                line->request.config = value;
}

static void read_long(struct line *line, const char *text) {
        struct str whole = str_z(text), name = str_take(whole, str_find(whole, '='));

        for (const struct option_row *row = line->command->options; row->name; row++) {
                if (!str_is(name, row->name) || !row->argument)
                        continue;
                if (name.len == whole.len && option_is_optional(row))
                        return;
                if (name.len == whole.len)
                        line->asking = row;
                else
                        note_value(line, row, text + name.len + 1);
        }
}

static void read_short(struct line *line, const char *letters) {
        const struct option_row *row = line->command->options;

        while (row->name && row->letter != *letters)
                row++;
        if (row->name && row->argument && letters[1])
                note_value(line, row, letters + 1);
        else if (row->name && row->argument)
                line->asking = row;
        else if (row->name && letters[1])
                read_short(line, letters + 1);
}

static void read_operand(struct line *line, const char *word) {
        if (line->command->subcommands && !line->named) {
                line->named = true;
                line->subcommand = subcommand_named(line->command, word);
                return;
        }
        line->request.before = word;
        line->operands++;
}

static void read_word(struct line *line, const char *word, int number) {
        if (line->asking) {
                note_value(line, line->asking, word);
                line->asking = NULL;
        } else if (line->dashes || word[0] != '-' || !word[1]) {
                read_operand(line, word);
        } else if (strcmp(word, "--") == 0) {
                line->dashes = number + 1;
        } else if (word[1] == '-') {
                read_long(line, word + 2);
        } else {
                read_short(line, word + 1);
        }
}

/* ---- answering ---- */

/* The name of the operand number `wanted` in one form: "[FILE...]" is FILE, as often as one likes. */
static struct str operand_name(struct str form, int wanted) {
        for (int i = 0; form.len > 0; i++) {
                struct str word = str_take(form, str_find(form, ' ')), name = word;

                if (name.ptr[0] == '[')
                        name = str_take(str_skip(name, 1), name.len - 2);
                if (str_ends(name, STR("...")))
                        return str_take(name, name.len - 3);
                if (i == wanted)
                        return name;
                form = str_skip(form, word.len + 1);
        }
        return form;
}

/* Forms are written with " | " between them; those that begin with an option or a dash are not operands. */
static void offer_operand(const struct line *line, struct buf *out) {
        const char *syntax = line->subcommand ? line->subcommand->operands : line->command->operands;
        struct str rest = str_z(syntax ? syntax : ""), dashes = STR("-- ");

        while (rest.len > 0) {
                const char *bar = memmem(rest.ptr, rest.len, " | ", 3);
                struct str form = bar ? str_take(rest, (size_t)(bar - rest.ptr)) : rest;

                rest = str_skip(rest, form.len + 3);
                if (line->dashes && str_starts(form, dashes))
                        values_offer(operand_name(str_skip(form, dashes.len), line->operands), &line->request, out);
                else if (!line->dashes && form.ptr[0] != '-')
                        values_offer(operand_name(form, line->operands), &line->request, out);
        }
}

static void offer_options(const struct option_row *table, const char *of, struct buf *out) {
        for (const struct option_row *row = table; row->name; row++)
                if (!of || option_is_of(row, of))
                        offer_row("--", row->name, row->help, out);
}

static void offer_commands(struct buf *out) {
        for (size_t i = 0; cli_commands[i]; i++)
                offer_row("", cli_commands[i]->name, cli_commands[i]->summary, out);
}

static void offer_subcommands(const struct cli_command *command, struct buf *out) {
        for (const struct cli_subcommand *row = command->subcommands; row->name; row++)
                offer_row("", row->name, row->summary, out);
}

/* With a subcommand, its options; all of them as long as none is named. */
static const char *whose_options(const struct line *line) {
        if (!line->command->subcommands)
                return line->command->name;
        return line->named ? line->subcommand->name : NULL;
}

static void offer_next(const struct line *line, struct buf *out) {
        const struct cli_command *command = line->command;

        if (line->asking)
                values_offer(str_z(line->asking->argument), &line->request, out);
        else if (line->named && !line->subcommand)
                return;
        else if (line->dashes && line->operands > 0 && command->operands && strstr(command->operands, "-- PROGRAM"))
                buf_format(out, ":command %d\n", line->dashes);
        else if (!line->dashes && line->request.word[0] == '-')
                offer_options(command->options, whose_options(line), out);
        else if (command->subcommands && !line->named)
                offer_subcommands(command, out);
        else
                offer_operand(line, out);
}

static void answer(int count, char **words, struct buf *out) {
        struct line line = { .request.word = words[count - 1] };

        if (count == 1) {
                if (words[0][0] == '-')
                        offer_options(cli_options, NULL, out);
                else
                        offer_commands(out);
                return;
        }
        line.command = command_named(words[0]);
        if (!line.command)
                return;
        for (int i = 1; i < count - 1; i++)
                read_word(&line, words[i], i);
        offer_next(&line, out);
}

enum exit_status complete_run(int argc, char **argv) {
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        if (argc > 0)
                answer(argc, argv, &out);
        fwrite(out.ptr, 1, out.len, stdout);
        return EXIT_DONE;
}
