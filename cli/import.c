/*
 * `bailey import`: settings of coding agents and of other sandboxes as a config.
 */
#include <stdio.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "format/format.h"

enum { OPTION_APPLY, OPTION_JSON, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_APPLY] = { "apply", 0, NULL, "add the values to your config file instead of printing them" },
        [OPTION_JSON] = { "json", 'j', NULL, "print the values and the skipped settings as JSON" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

/* What people should not miss among the values. Returns whether something that denies was lost. */
static bool tell_left(const struct bailey_import *import) {
        bool denies = false;

        for (size_t i = 0; i < import->left_count; i++) {
                BUF_AUTO line;

                buf_init(&line, ANSWER_MAX);
                format_import_left(&import->left[i], &line);
                log_line("import: %.*s", (int)line.len, line.ptr);
                denies |= import->left[i].denies;
        }
        return denies;
}

static bool loses(const struct bailey_import *import) {
        for (size_t i = 0; i < import->left_count; i++)
                if (import->left[i].denies)
                        return true;
        return false;
}

static void answer_put(const struct bailey_import *import, bool json, bool applied, struct buf *out) {
        if (json)
                format_import_json(import, out);
        else if (applied)
                format_import_changed(import, out);
        else
                format_import_config(import, out);
}

static enum exit_status import_run(const struct options *options) {
        const struct bailey_import_options request = {
                .format = options->operands[0],
                .file = options->operand_count > 1 ? options->operands[1] : NULL,
                .environment = (const char *const *)environ,
                .apply = options->values[OPTION_APPLY] != NULL,
        };
        bool json = options->values[OPTION_JSON] != NULL, lost;
        struct bailey_import import;
        enum exit_status status;
        BUF_AUTO answer;
        char error[512];

        buf_init(&answer, ANSWER_MAX);
        if (bailey_import(&request, &import, error, sizeof(error)) < 0) {
                log_line("import: %s", error);
                return EXIT_USAGE;
        }
        answer_put(&import, json, request.apply, &answer);
        lost = json ? loses(&import) : tell_left(&import);
        bailey_import_free(&import);
        status = output_write_buffer("import", &answer);
        return status == EXIT_DONE && lost ? EXIT_PROBLEM : status;
}

static const struct help_row exits[] = {
        { "0", "all settings that deny something were imported" },
        { "1", "a setting that denies something, or asks the user, was skipped; standard error lists it" },
        { "2", "usage error, or the settings could not be read" },
        {},
};

static const struct help_row examples[] = {
        { "bailey import claude", "print the settings of Claude Code as a config" },
        { "bailey import claude --apply", "add the user's settings to your config file" },
        { "bailey import fence ./fence.json", "read this file" },
        {},
};

const struct cli_command cli_import = {
        .name = "import",
        .operands = "claude|codex|srt|gemini|cursor|fence [FILE]",
        .summary = "read the settings of a coding agent or of another sandbox",
        .details = "Prints a config file with a comment on each line that names its origin, and lists the skipped settings "
                   "with the\nreasons on standard error. A denial can become stricter, a permission narrower, but never the "
                   "reverse; settings that\ncannot be converted in this way are skipped.\nWithout FILE, reads the files in the "
                   "usual places: those of the system, the user and the current directory.\n"
                   "With --apply, it does not read those of the current directory unless you name them, and leaves values\n"
                   "alone that your config file sets already.\n",
        .options = option_rows,
        .exits = exits,
        .examples = examples,
        .run = import_run,
};
