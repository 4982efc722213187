/*
 * `bailey trust`: trusts the current content of the config file of a workspace.
 */
#include <stdio.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/requests.h"
#include "format/format.h"

enum { OPTION_LIST, OPTION_REMOVE, OPTION_JSON, OPTION_HELP };

static const struct option_row option_rows[] = {
        [OPTION_LIST] = { "list", 'l', NULL, "list trusted config files" },
        [OPTION_REMOVE] = { "remove", 'r', NULL, "stop trusting the file" },
        [OPTION_JSON] = { "json", 'j', NULL, "with --list: print JSON" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status trust_failed(const char *error) {
        log_line("trust: %s", error);
        return EXIT_PROBLEM;
}

static enum exit_status trust_list(bool json) {
        struct bailey_trusted_files files;
        BUF_AUTO answer;
        char error[256];

        buf_init(&answer, ANSWER_MAX);
        if (bailey_trust_list((const char *const *)environ, &files, error, sizeof(error)) < 0)
                return trust_failed(error);
        (json ? format_trusted_json : format_trusted_text)(&files, &answer);
        bailey_trusted_files_free(&files);
        return output_write_buffer("trust", &answer);
}

static enum exit_status trust_change(const char *directory, bool trust) {
        char error[256];
        char *path;
        int changed = bailey_trust((const char *const *)environ, directory, trust, &path, error, sizeof(error));

        if (changed < 0)
                return trust_failed(error);
        printf("%s %s\n", path,
               trust     ? changed ? "is now trusted" : "is already trusted"
               : changed ? "is no longer trusted"
                         : "was not trusted");
        bailey_free(path);
        return EXIT_DONE;
}

static enum exit_status trust_run(const struct options *options) {
        const char *const *given = options->values;
        const char *usage = NULL;

        if (given[OPTION_LIST] && (given[OPTION_REMOVE] || options->operand_count > 0))
                usage = "--list cannot be combined with --remove or DIR";
        else if (given[OPTION_JSON] && !given[OPTION_LIST])
                usage = "--json requires --list";
        if (usage) {
                log_line("trust: %s; see bailey trust --help", usage);
                return EXIT_USAGE;
        }
        if (given[OPTION_LIST])
                return trust_list(given[OPTION_JSON]);
        return trust_change(options->operand_count ? options->operands[0] : ".", !given[OPTION_REMOVE]);
}

static const struct help_row examples[] = {
        { "bailey trust", "trust the config file in the current directory, after reading it" },
        { "bailey trust --list", "list trusted config files" },
        {},
};

const struct cli_command cli_trust = {
        .name = "trust",
        .operands = "[DIR]",
        .summary = "trust the config file of a workspace",
        .details = "Applies .bailey.toml (.json5, .json) of DIR, or of the current directory, as long as its path and content "
                   "do not\n"
                   "change. An untrusted config file can only make the policy stricter.\n",
        .options = option_rows,
        .examples = examples,
        .run = trust_run,
};
