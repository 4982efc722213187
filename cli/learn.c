/*
 * `bailey learn`: what a command needs besides its policy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/overrides.h"
#include "cli/requests.h"
#include "cli/signals.h"
#include "format/format.h"

enum {
        OPTION_POLICY,
        OPTION_WORKSPACE,
        OPTION_CWD,
        OPTION_TIMEOUT,
        OPTION_APPLY,
        OPTION_KEEP_STAGE,
        OPTION_TRUSTED,
        OPTION_SET,
        OPTION_CONFIG,
        OPTION_JSON,
        OPTION_HELP,
};

static const struct option_row option_rows[] = {
        [OPTION_POLICY] = ROW_POLICY,
        [OPTION_WORKSPACE] = ROW_WORKSPACE,
        [OPTION_CWD] = { "cwd", 'C', "DIR", "start in this directory of the workspace; default: the workspace" },
        [OPTION_TIMEOUT] = ROW_TIMEOUT,
        [OPTION_APPLY] = { "apply", 0, "[workspace|user]",
                           "write the proposal to the config file of the workspace, or to yours; default: workspace" },
        [OPTION_KEEP_STAGE] = { "keep-stage", 0, "STAGE", "keep the changes of the workspace of a last run in this stage" },
        [OPTION_TRUSTED] = { "trusted", 0, NULL,
                             "try lines that show files of yours together with connections, and services of this host" },
        [OPTION_SET] = ROW_SET,
        [OPTION_CONFIG] = ROW_CONFIG,
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

static int read_options(const struct options *options, struct bailey_learn_options *ret) {
        const char *const *given = options->values;

        *ret = (struct bailey_learn_options){ .run = { .cwd = given[OPTION_CWD], .environment = (const char *const *)environ },
                                              .keep_stage = given[OPTION_KEEP_STAGE],
                                              .trusted = given[OPTION_TRUSTED] != NULL };
        if (options->operand_count == 0) {
                log_line("learn: no command given; see bailey learn --help");
                return -1;
        }
        if (!options->after_dashes && options->operand_count > 1) {
                log_line("learn: more than one operand given: quote the command, or put -- before a program and its arguments");
                return -1;
        }
        if (options->after_dashes)
                ret->run.argv = (const char *const *)options->operands;
        else
                ret->run.command = options->operands[0];
        return timeout_read("learn", given[OPTION_TIMEOUT], &ret->run.timeout_ms);
}

/* ---- telling ---- */

static void tell(const struct bailey_learned *learned) {
        for (const char *const *notice = learned->notices; notice && *notice; notice++)
                log_line("learn: %s", *notice);
        for (size_t i = 0; i < learned->refused_count; i++) {
                BUF_AUTO text;

                buf_init(&text, ANSWER_MAX);
                format_learned_refused(&learned->refused[i], &text);
                log_line("learn: %.*s", (int)text.len, text.ptr);
        }
        if (!learned->passes && learned->output_length)
                fwrite(learned->output, 1, learned->output_length, stderr);
        if (!learned->passes)
                log_line("learn: exit status %d after %u runs: %s", learned->exit_code, learned->runs, learned->problem);
        else if (learned->line_count == 0)
                log_line("learn: the command passes as it is");
        else
                log_line("learn: the command passes with %zu %s, and fails without %s (%u runs). The command chose what to ask "
                         "for: read the proposal before you use it",
                         learned->line_count, learned->line_count == 1 ? "line" : "lines",
                         learned->line_count == 1 ? "it" : "any of them", learned->runs);
}

static void tell_applied(const char *path, bool workspace, int changed) {
        log_line("learn: %s %s", path, changed ? "is changed" : "has all of it already");
        if (workspace)
                log_line("learn: it takes effect after: bailey trust");
}

/* ---- running ---- */

/* Of a file that is not written either, as it fails then. */
static int config_of(const struct bailey_learned *learned, const char *apply, const char *workspace, char **ret_path,
                     char **ret_diff) {
        bool user = apply && strcmp(apply, "user") == 0;
        char error[512];
        int changed = bailey_learn_config(learned, (const char *const *)environ, user ? NULL : workspace,
                                          apply && learned->passes, ret_path, ret_diff, error, sizeof(error));

        if (changed < 0)
                log_line("learn: %s", error);
        return changed;
}

static enum exit_status answer(const struct bailey_learned *learned, const char *const *given) {
        const char *apply = given[OPTION_APPLY], *workspace = given[OPTION_WORKSPACE] ? given[OPTION_WORKSPACE] : ".";
        char *path = NULL, *diff = NULL;
        enum exit_status status;
        BUF_AUTO text;
        int changed = 0;

        buf_init(&text, ANSWER_MAX);
        if (learned->line_count)
                changed = config_of(learned, apply, workspace, &path, &diff);
        if (given[OPTION_JSON])
                format_learned_json(learned, path, diff, &text);
        else if (diff)
                format_learned_text(learned, diff, &text);
        status = text.len || text.failed ? output_write_buffer("learn", &text) : EXIT_DONE;
        if (!given[OPTION_JSON])
                tell(learned);
        if (apply && learned->passes && path && !given[OPTION_JSON])
                tell_applied(path, strcmp(apply, "user") != 0, changed);
        bailey_free(path);
        bailey_free(diff);
        return status != EXIT_DONE || changed < 0 || !learned->passes ? EXIT_PROBLEM : EXIT_DONE;
}

static enum exit_status learn_run(const struct options *options) {
        const char *const *given = options->values;
        struct bailey_learn_options learn;
        struct bailey_learned learned;
        struct bailey_policy *policy;
        struct overrides overrides = {};
        enum exit_status status;
        char error[1024];

        if (read_options(options, &learn) < 0)
                return EXIT_USAGE;
        overrides_read(option_rows, options, &overrides);
        policy = policy_from_options(given[OPTION_POLICY], given[OPTION_WORKSPACE], given[OPTION_CONFIG], &overrides);
        overrides_free(&overrides);
        if (!policy)
                return EXIT_USAGE;
        learn.run.cancel_fd = signals_watch();
        if (bailey_learn(policy, &learn, &learned, error, sizeof(error)) < 0) {
                log_line("learn: %s", error);
                bailey_policy_free(policy);
                return EXIT_PROBLEM;
        }
        status = answer(&learned, given);
        bailey_learned_free(&learned);
        bailey_policy_free(policy);
        return status;
}

static const struct help_row exits[] = {
        { "0", "the command passes with the proposal, or needs none" },
        { "1", "it does not pass, or it cannot be run in a stage" },
        { "2", "usage error" },
        {},
};

static const struct help_row examples[] = {
        { "bailey learn 'make test'", "print what make test needs as a diff of .bailey.toml" },
        { "bailey learn --apply -- make test", "write it to that file; then: bailey trust" },
        { "bailey learn --apply=user --trusted 'pip install -e .'", "write it to your own config file" },
        {},
};

const struct cli_command cli_learn = {
        .name = "learn",
        .operands = "COMMAND | -- PROGRAM [ARGUMENT...]",
        .summary = "find the config that a command needs, by running it",
        .details =
                "Runs the command in the sandbox, notes what it is denied, and runs it again with config lines that allow\n"
                "that, until it passes. Then leaves out each line that it passes without, and prints the rest as a diff of\n"
                "the config file, with the program that asked for each line. The command runs many times, each time in a\n"
                "stage that is discarded (see bailey run --stage), with a copy of the home directory of the workspace, and\n"
                "with copies of directories that a line would let it write.\n"
                "\n"
                "The command decides what it asks for, so read the proposal before you use it. Directories such as / and "
                "/etc,\n"
                "home directories, other users' files, what can contain credentials, and what the guard blocks are listed and\n"
                "never proposed or tried. Lines that show files of yours are not tried together with connections, as the\n"
                "command could send the files away, and services of this host (ports, unix sockets) are not tried, as they\n"
                "act outside of the sandbox. --trusted allows both.\n",
        .options = option_rows,
        .exits = exits,
        .examples = examples,
        .run = learn_run,
};
