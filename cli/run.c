/*
 * bailey run: a command inside walls.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "bailey.h"
#include "base/fd.h"
#include "base/log.h"
#include "cli/batch.h"
#include "cli/command.h"

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
        OPTION_ROOT,
        OPTION_TIMEOUT,
        OPTION_MEMORY,
        OPTION_CPU_SECS,
        OPTION_PIDS,
        OPTION_ENV,
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
        [OPTION_POLICY] = { "policy", 'p', "NAME", "default, readonly, build, or one of a config file" },
        [OPTION_BACKEND] = { "backend", 'b', "NAME", "native, bwrap, landlock; default: the strongest that works" },
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "what the command may write; default: here" },
        [OPTION_CWD] = { "cwd", 'C', "DIR", "where it starts, in the workspace; default: the workspace" },
        [OPTION_READ] = { "read", 0, "PATH", "more that it can read" },
        [OPTION_WRITE] = { "write", 0, "PATH", "more that it can write" },
        [OPTION_DENY_READ] = { "deny-read", 0, "PATH", "what it cannot read" },
        [OPTION_DENY_WRITE] = { "deny-write", 0, "PATH", "what it cannot write" },
        [OPTION_NETWORK] = { "network", 'n', "KIND", "deny or inherit" },
        [OPTION_ROOT] = { "root", 0, "KIND", "host or minimal" },
        [OPTION_TIMEOUT] = { "timeout", 't', "SECONDS", "when it is killed; 0: never" },
        [OPTION_MEMORY] = { "memory", 0, "BYTES", "512M, 2GiB, ..." },
        [OPTION_CPU_SECS] = { "cpu-secs", 0, "N", "processor time" },
        [OPTION_PIDS] = { "pids", 0, "N", "processes and threads at a time" },
        [OPTION_ENV] = { "env", 'e', "NAME[=VALUE]", "a variable to pass, or to set" },
        [OPTION_STRICT] = { "strict", 0, NULL, "allow only a short list of system calls" },
        [OPTION_SET] = { "set", 's', "KEY=VALUE", "any config key, as in sandbox.tmp_bytes=64MiB" },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "a config file that counts besides the usual ones" },
        [OPTION_JSON] = { "json", 'j', NULL, "capture the output, and answer in JSON" },
        [OPTION_SHOW_PLAN] = { "show-plan", 0, NULL, "print what would be done, and run nothing" },
        [OPTION_STATUS_FD] = { "status-fd", 0, "N", "write a line of JSON there when it starts and when it ends" },
        [OPTION_FORCE] = { "force", 0, NULL, "also in a workspace like / or your home directory" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

/* Flags that are config keys by another name. */
static const struct {
        int option;
        const char *key;
} keys[] = {
        { OPTION_BACKEND, "sandbox.backend" },
        { OPTION_READ, "sandbox.fs_read_allow" },
        { OPTION_WRITE, "sandbox.fs_write_allow" },
        { OPTION_DENY_READ, "sandbox.fs_read_deny" },
        { OPTION_DENY_WRITE, "sandbox.fs_write_deny" },
        { OPTION_NETWORK, "sandbox.network" },
        { OPTION_ROOT, "sandbox.root" },
        { OPTION_MEMORY, "sandbox.max_memory_bytes" },
        { OPTION_CPU_SECS, "sandbox.max_cpu_secs" },
        { OPTION_PIDS, "sandbox.max_pids" },
};

enum { OVERRIDES_MAX = OPTIONS_GIVEN_MAX + 1 };

struct overrides {
        char *items[OVERRIDES_MAX];
        size_t count;
};

static void overrides_add(struct overrides *overrides, const char *key, const char *value) {
        char *text = NULL;

        if (overrides->count + 1 < OVERRIDES_MAX && asprintf(&text, "%s=%s", key, value) >= 0)
                overrides->items[overrides->count++] = text;
}

/* --env NAME passes a variable that the user names here, secret or not; --env NAME=VALUE sets one. */
static void overrides_add_env(struct overrides *overrides, const char *text) {
        const char *equals = strchr(text, '=');
        char *key = NULL;

        if (!equals) {
                overrides_add(overrides, "env.pass_secret", text);
        } else if (asprintf(&key, "env.set.%.*s", (int)(equals - text), text) >= 0) {
                overrides_add(overrides, key, equals + 1);
                free(key);
        }
}

static void overrides_read(const struct options *options, struct overrides *ret) {
        for (size_t i = 0; i < options->given_count; i++) {
                const struct option_given *given = &options->given[i];

                for (size_t j = 0; j < sizeof(keys) / sizeof(*keys); j++)
                        if (given->row == keys[j].option)
                                overrides_add(ret, keys[j].key, given->value);
                if (given->row == OPTION_STRICT)
                        overrides_add(ret, "sandbox.syscall_policy", "strict");
                if (given->row == OPTION_ENV)
                        overrides_add_env(ret, given->value);
                if (given->row == OPTION_SET && ret->count + 1 < OVERRIDES_MAX)
                        ret->items[ret->count++] = strdup(given->value);
        }
}

static void overrides_free(struct overrides *overrides) {
        for (size_t i = 0; i < overrides->count; i++)
                free(overrides->items[i]);
}

/* ---- numbers ---- */

/* Seconds, with a fraction; 0 means none. */
static int read_timeout(const char *text, long long *ret_ms) {
        char *end;
        double seconds;

        *ret_ms = 0;
        if (!text)
                return 0;
        errno = 0;
        seconds = strtod(text, &end);
        if (errno || end == text || (*end && strcmp(end, "s") != 0) || !(seconds >= 0 && seconds < 1e9)) {
                log_line("run: --timeout %s: expected seconds", text);
                return -1;
        }
        *ret_ms = seconds == 0 ? -1 : seconds < 0.001 ? 1 : (long long)(seconds * 1000);
        return 0;
}

static int read_fd(const char *text, int *ret_fd) {
        char *end;
        long fd;

        *ret_fd = -1;
        if (!text)
                return 0;
        fd = strtol(text, &end, 10);
        if (end == text || *end || fd < 0 || fd > 1 << 20 || fcntl((int)fd, F_GETFD) < 0) {
                log_line("run: --status-fd %s: not an open file descriptor", text);
                return -1;
        }
        *ret_fd = (int)fd;
        return 0;
}

/* ---- running ---- */

/* What asks this program to end, ends the command. */
static int signals_watch(void) {
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGINT);
        sigaddset(&set, SIGTERM);
        sigaddset(&set, SIGHUP);
        sigaddset(&set, SIGQUIT);
        sigprocmask(SIG_BLOCK, &set, NULL);
        return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int exit_code_of(const struct bailey_outcome *outcome, int signals) {
        struct signalfd_siginfo info;

        if (outcome->end != BAILEY_CANCELLED)
                return outcome->exit_code;
        return read(signals, &info, sizeof(info)) == sizeof(info) ? 128 + (int)info.ssi_signo : 130;
}

static void tell_lines(const char *text) {
        while (text && *text) {
                int len = (int)strcspn(text, "\n");

                log_line("%.*s", len, text);
                text += len + (text[len] == '\n');
        }
}

static void tell(const struct bailey_outcome *outcome, bool json) {
        if (json) {
                batch_write(outcome->json, outcome->json_length);
                return;
        }
        if (outcome->output)
                fwrite(outcome->output, 1, outcome->output_length, stdout);
        tell_lines(outcome->notices);
        if (outcome->end == BAILEY_REFUSED)
                log_line("refused by the guard:");
        tell_lines(outcome->message);
        tell_lines(outcome->explanation);
}

static int run_with(const struct bailey_policy *policy, struct bailey_run_options *run, bool json) {
        struct bailey_outcome outcome;
        int signals = signals_watch(), code;

        run->cancel_fd = signals;
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
                log_line("run: more than one command given: quote it, or put -- before a program and its arguments");
                return -1;
        }
        run->command = options->operands[0];
        return 0;
}

static int run_options(const struct options *options, struct bailey_run_options *run) {
        const char *const *given = options->values;

        *run = (struct bailey_run_options){
                .cwd = given[OPTION_CWD],
                .environment = (const char *const *)environ,
                .capture = given[OPTION_JSON] != NULL,
                .out_fd = STDOUT_FILENO,
                .err_fd = STDERR_FILENO,
                .force = given[OPTION_FORCE] != NULL,
                .plan_only = given[OPTION_SHOW_PLAN] != NULL,
        };
        if (set_command(options, run) < 0 || read_timeout(given[OPTION_TIMEOUT], &run->timeout_ms) < 0)
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
        overrides_read(options, &overrides);
        policy = policy_from_options(given[OPTION_POLICY], given[OPTION_WORKSPACE], given[OPTION_CONFIG],
                                     (const char *const *)overrides.items);
        overrides_free(&overrides);
        if (!policy)
                return EXIT_NO_RUN;
        code = run_with(policy, &run, given[OPTION_JSON]);
        bailey_policy_free(policy);
        return (enum exit_status)code;
}

const struct cli_command cli_run = {
        .name = "run",
        .operands = "COMMAND | -- PROGRAM [ARGUMENT...]",
        .summary = "run a command inside walls",
        .details = "COMMAND is a text for bash; after --, a program and its arguments. It is judged first (see bailey test).\n"
                   "It sees the host's files read-only, credential stores not at all, has a /tmp of its own and no network,\n"
                   "and may write the workspace, but for what would run later outside, such as .git/hooks.\n"
                   "Exits as the command does; 124: timed out, 125: could not be run, 126: refused, 127: not found, 128+n: "
                   "ended\n"
                   "by signal n.\n",
        .options = option_rows,
        .usage = EXIT_NO_RUN,
        .run = run_run,
};
