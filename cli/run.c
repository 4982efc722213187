/*
 * bailey run: runs a command in a sandbox.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bailey.h"
#include "base/fd.h"
#include "base/log.h"
#include "cli/requests.h"
#include "cli/command.h"
#include "cli/overrides.h"
#include "cli/signals.h"
#include "format/format.h"

enum { JSON_MAX = 256 << 20 };

enum {
        OPTION_POLICY,
        OPTION_BACKEND,
        OPTION_WORKSPACE,
        OPTION_CWD,
        OPTION_READ,
        OPTION_WRITE,
        OPTION_DENY_READ,
        OPTION_DENY_WRITE,
        OPTION_NETWORK,
        OPTION_ALLOW_HOST,
        OPTION_PUBLISH,
        OPTION_HOST_PORT,
        OPTION_ROOT,
        OPTION_TIMEOUT,
        OPTION_MEMORY,
        OPTION_CPU_SECS,
        OPTION_PIDS,
        OPTION_ENV,
        OPTION_OUTPUT_LIMIT,
        OPTION_NO_STDIN,
        OPTION_TTY,
        OPTION_NO_TTY,
        OPTION_SESSION,
        OPTION_STAGE,
        OPTION_WHY,
        OPTION_STRICT,
        OPTION_SET,
        OPTION_CONFIG,
        OPTION_JSON,
        OPTION_SHOW_PLAN,
        OPTION_STATUS_FD,
        OPTION_FORCE,
        OPTION_HELP,
};

static const struct option_row option_rows[] = {
        [OPTION_POLICY] = ROW_POLICY,
        [OPTION_BACKEND] = ROW_BACKEND,
        [OPTION_WORKSPACE] = ROW_WORKSPACE,
        [OPTION_CWD] = { "cwd", 'C', "DIR", "start in this directory of the workspace; default: the workspace" },
        [OPTION_READ] = ROW_READ,
        [OPTION_WRITE] = ROW_WRITE,
        [OPTION_DENY_READ] = ROW_DENY_READ,
        [OPTION_DENY_WRITE] = ROW_DENY_WRITE,
        [OPTION_NETWORK] = ROW_NETWORK,
        [OPTION_ALLOW_HOST] = ROW_ALLOW_HOST,
        [OPTION_PUBLISH] = ROW_PUBLISH,
        [OPTION_HOST_PORT] = ROW_HOST_PORT,
        [OPTION_ROOT] = ROW_ROOT,
        [OPTION_TIMEOUT] = ROW_TIMEOUT,
        [OPTION_MEMORY] = ROW_MEMORY,
        [OPTION_CPU_SECS] = ROW_CPU_SECS,
        [OPTION_PIDS] = ROW_PIDS,
        [OPTION_ENV] = ROW_ENV,
        [OPTION_OUTPUT_LIMIT] = { "output-limit", 0, "BYTES", OUTPUT_LIMIT_HELP },
        [OPTION_NO_STDIN] = { "no-stdin", 0, NULL, "give the command an empty standard input" },
        [OPTION_TTY] = { "tty", 0, NULL, "give the command a terminal even if standard input or output is not one" },
        [OPTION_NO_TTY] = { "no-tty", 0, NULL, "give the command no terminal" },
        [OPTION_SESSION] = { "session", 0, "NAME",
                             "share /tmp with all commands of this name in this workspace; see bailey tmp" },
        [OPTION_STAGE] = { "stage", 0, "[STAGE]",
                           "write changes of the workspace to a stage instead (see bailey diff); default name: default" },
        [OPTION_WHY] = { "why", 0, NULL, "print afterwards what the command was denied, and how to allow it; it runs slower" },
        [OPTION_STRICT] = ROW_STRICT,
        [OPTION_SET] = ROW_SET,
        [OPTION_CONFIG] = ROW_CONFIG,
        [OPTION_JSON] = { "json", 'j', NULL, "capture the output and print the result as JSON" },
        [OPTION_SHOW_PLAN] = { "show-plan", 0, NULL, "print the sandbox plan and run nothing" },
        [OPTION_STATUS_FD] = { "status-fd", 0, "N",
                               "write a line of JSON to this file descriptor at the start and at the end" },
        [OPTION_FORCE] = ROW_FORCE,
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

/* ---- numbers ---- */

static int read_fd(const char *text, int *ret_fd) {
        struct stat st;
        char *end;
        long fd;

        *ret_fd = -1;
        if (!text)
                return 0;
        fd = strtol(text, &end, 10);
        if (end == text || *end || fd < 1 || fd > 1 << 20 || fstat((int)fd, &st) < 0) {
                log_line("run: --status-fd: '%s' is not an open file descriptor", text);
                return -1;
        }
        *ret_fd = (int)fd;
        return 0;
}

/* ---- running ---- */

static int exit_code_of(const struct bailey_outcome *outcome, int signals) {
        return outcome->end == BAILEY_CANCELLED ? 128 + signals_which(signals) : outcome->exit_code;
}

static void tell_lines(const char *text) {
        while (text && *text) {
                int len = (int)strcspn(text, "\n");

                log_line("%.*s", len, text);
                text += len + (text[len] == '\n');
        }
}

static void print_json(const struct bailey_outcome *outcome) {
        BUF_AUTO json;

        buf_init(&json, JSON_MAX);
        format_outcome_json(outcome, &json);
        if (json.failed)
                log_line("run: out of memory");
        else
                output_write(json.ptr, json.len);
}

static void tell_staged(const struct bailey_staged *staged) {
        if (staged && staged->changed + staged->added + staged->deleted == 0)
                log_line("staged as %s: no changes", staged->name);
        else if (staged)
                log_line("staged as %s: %llu changed, %llu new, %llu deleted; see bailey diff %s", staged->name,
                         staged->changed, staged->added, staged->deleted, staged->name);
}

/* Of a command that could not run, the message says why. */
static void tell_denied(const struct bailey_outcome *outcome) {
        BUF_AUTO text;

        buf_init(&text, JSON_MAX);
        if (!outcome->findings || !outcome->backend)
                return;
        format_denied_text(outcome, &text);
        fwrite(text.ptr, 1, text.len, stderr);
}

static void tell(const struct bailey_outcome *outcome, bool json) {
        if (json) {
                print_json(outcome);
                return;
        }
        if (outcome->output)
                fwrite(outcome->output, 1, outcome->output_length, stdout);
        for (const char *const *notice = outcome->notices; notice && *notice; notice++)
                log_line("%s", *notice);
        if (outcome->end == BAILEY_REFUSED)
                log_line("blocked by the guard (see bailey rules):");
        if (outcome->end != BAILEY_TIMED_OUT || !outcome->explanation) /* which says it, too */
                tell_lines(outcome->message);
        tell_lines(outcome->explanation);
        tell_staged(outcome->staged);
        tell_denied(outcome);
}

static int run_with(const struct bailey_policy *policy, struct bailey_run_options *run, bool json) {
        struct bailey_outcome outcome;
        int signals = signals_watch(), code;

        run->cancel_fd = signals;
        if (run->terminal != BAILEY_TERMINAL_NONE)
                run->terminal_signals_fd = signals_of_terminal();
        if (bailey_run(policy, run, &outcome) < 0) {
                log_line("run: out of memory");
                return EXIT_NO_RUN;
        }
        tell(&outcome, json);
        code = exit_code_of(&outcome, signals);
        bailey_outcome_free(&outcome);
        return code;
}

static int set_command(const struct options *options, struct bailey_run_options *run) {
        if (options->operand_count == 0) {
                log_line("run: no command given; see bailey run --help");
                return -1;
        }
        if (options->after_dashes) {
                run->argv = (const char *const *)options->operands;
                return 0;
        }
        if (options->operand_count > 1) {
                log_line("run: more than one operand given: quote the command, or put -- before a program and its arguments");
                return -1;
        }
        run->command = options->operands[0];
        return 0;
}

/* Not from a terminal: the command would take what is typed for the shell that called us. One of its own gets what is typed. */
static int input_fd(bool none, bool terminal) {
        struct err ignored = {};
        int copy;

        if (none || (!terminal && isatty(STDIN_FILENO)) || fd_dup(STDIN_FILENO, &copy, &ignored) < 0)
                return -1;
        return copy;
}

/* As ssh and docker do: for a person at a terminal. What goes to a file or another program is passed on byte for byte. */
static int terminal_wanted(const char *const *given, enum bailey_terminal *ret) {
        bool captures = given[OPTION_JSON], person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);

        if (given[OPTION_TTY] && (captures || given[OPTION_NO_TTY])) {
                log_line("run: --tty cannot be combined with %s", captures ? "--json" : "--no-tty");
                return -1;
        }
        if (given[OPTION_TTY])
                *ret = BAILEY_TERMINAL_REQUIRED;
        else
                *ret = person && !captures && !given[OPTION_NO_TTY] ? BAILEY_TERMINAL_POSSIBLE : BAILEY_TERMINAL_NONE;
        return 0;
}

static int run_options(const struct options *options, struct bailey_run_options *run) {
        const char *const *given = options->values;
        enum bailey_terminal terminal;

        if (terminal_wanted(given, &terminal) < 0)
                return -1;
        *run = (struct bailey_run_options){
                .cwd = given[OPTION_CWD],
                .environment = (const char *const *)environ,
                .in_fd = input_fd(given[OPTION_NO_STDIN], terminal != BAILEY_TERMINAL_NONE),
                .terminal = terminal,
                .capture = given[OPTION_JSON] != NULL,
                .out_fd = STDOUT_FILENO,
                .err_fd = STDERR_FILENO,
                .force = given[OPTION_FORCE] != NULL,
                .plan_only = given[OPTION_SHOW_PLAN] != NULL,
                .evidence = given[OPTION_WHY] != NULL,
                .session = given[OPTION_SESSION],
                .stage = given[OPTION_STAGE] && !*given[OPTION_STAGE] ? "default" : given[OPTION_STAGE],
        };
        if (set_command(options, run) < 0 || timeout_read("run", given[OPTION_TIMEOUT], &run->timeout_ms) < 0)
                return -1;
        return read_fd(given[OPTION_STATUS_FD], &run->status_fd);
}

static enum exit_status run_run(const struct options *options) {
        const char *const *given = options->values;
        struct bailey_run_options run;
        struct bailey_policy *policy;
        struct overrides overrides = {};
        int code;

        if (run_options(options, &run) < 0)
                return EXIT_NO_RUN;
        overrides_read(option_rows, options, &overrides);
        policy = policy_from_options(given[OPTION_POLICY], given[OPTION_WORKSPACE], given[OPTION_CONFIG], &overrides);
        overrides_free(&overrides);
        if (!policy)
                return EXIT_NO_RUN;
        code = run_with(policy, &run, given[OPTION_JSON]);
        bailey_policy_free(policy);
        return (enum exit_status)code;
}

static const struct help_row exits[] = {
        { "0-255", "exit status of the command" },
        { "124", "timeout" },
        { "125", "cannot run the command" },
        { "126", "blocked by the guard" },
        { "127", "command not found" },
        { "128+n", "killed by signal n" },
        {},
};

static const struct help_row examples[] = {
        { "bailey run 'make -j4 && make test'", "run a command in the current directory" },
        { "bailey run --network inherit --write ~/.npm -- npm install", "run a program that needs the network and a cache" },
        { "bailey run --json --timeout 60 ./build.sh", "get the result as JSON" },
        { "bailey run -t 0 -- vim notes.txt", "use a full-screen program" },
        {},
};

const struct cli_command cli_run = {
        .name = "run",
        .operands = "COMMAND | -- PROGRAM [ARGUMENT...]",
        .summary = "run a command in a sandbox",
        .details =
                "COMMAND is bash code. To run a program directly, put -- before its name. The guard checks the command first\n"
                "(see bailey test). In the sandbox the host's files are read-only, /tmp is private, and there is no network\n"
                "except a private localhost (with landlock: none at all). The home directory belongs to the workspace:\n"
                "commands can write it, and see only toolchains, package caches and settings of your home (sandbox.home; with\n"
                "landlock: your home, read-only, without credential stores). The workspace is writable, except for files that\n"
                "programs on the host run later, such as .git/hooks.\n"
                "\n"
                "The command reads the standard input of bailey run. If standard input and output are both a terminal, the\n"
                "command gets its own terminal (native, bwrap, landlock): all keys go to it, including Ctrl-C and Ctrl-Z, and\n"
                "its size follows yours. It cannot read or change your terminal, or type into it. Its output, including\n"
                "stderr unless redirected, is passed on without sequences that make a terminal answer with text, set the\n"
                "clipboard, print or store. If only one of the two is a terminal, the command gets none, and input and output\n"
                "are passed on unchanged. With --tty it gets one in any case; end of input is then typed as Ctrl-D. Use --tty\n"
                "-t 0 for interactive programs such as editors and shells. Secrets are not removed from terminal output.\n",
        .options = option_rows,
        .exits = exits,
        .examples = examples,
        .usage = EXIT_NO_RUN,
        .run = run_run,
};
