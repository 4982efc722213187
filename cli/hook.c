/*
 * `bailey hook`: an agent asks before it runs a command; and how it comes to do so.
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/overrides.h"
#include "hook/install.h"

enum {
        OPTION_AGENT,
        OPTION_MODE,
        OPTION_WARNED,
        OPTION_APPROVE,
        OPTION_POLICY,
        OPTION_WORKSPACE,
        OPTION_READ,
        OPTION_WRITE,
        OPTION_NETWORK,
        OPTION_ALLOW_HOST,
        OPTION_PUBLISH,
        OPTION_HOST_PORT,
        OPTION_OUTPUT_LIMIT,
        OPTION_SET,
        OPTION_CONFIG,
        OPTION_PROJECT,
        OPTION_DRY_RUN,
        OPTION_JSON,
        OPTION_HELP,
};

#define BOTH "hook install"

static const struct option_row option_rows[] = {
        [OPTION_AGENT] = { "agent", 'a', HOOK_AGENTS, "name of the agent; default: detected from the request", "hook" },
        [OPTION_MODE] = { "mode", 'm', "deny|wrap", "check commands only, or also rewrite them to bailey run ...", BOTH },
        [OPTION_WARNED] = { "warned", 0, "ask|deny|allow",
                            "decision for a command with a warning; default: ask, where the agent supports it", BOTH },
        [OPTION_APPROVE] = { "approve", 0, NULL, "with --mode wrap: approve sandboxed commands without asking the user", BOTH },
        [OPTION_POLICY] = { "policy", 'p', "POLICY", "policy to use: default, readonly, build, or one from a config file",
                            BOTH },
        [OPTION_WORKSPACE] = { "workspace", 'w', "DIR", "directory that commands may write; default: the agent's project",
                               BOTH },
        [OPTION_READ] = { "read", 0, "PATH", "also allow reading PATH", BOTH },
        [OPTION_WRITE] = { "write", 0, "PATH", "also allow writing PATH", BOTH },
        [OPTION_NETWORK] = { "network", 'n', NETWORKS, NETWORKS_HELP, BOTH },
        [OPTION_ALLOW_HOST] = { "allow-host", 0, "HOST", ALLOW_HOST_HELP, BOTH },
        [OPTION_PUBLISH] = { "publish", 0, "PORT", PUBLISH_HELP, BOTH },
        [OPTION_HOST_PORT] = { "host-port", 0, "PORT", HOST_PORT_HELP, BOTH },
        [OPTION_OUTPUT_LIMIT] = { "output-limit", 0, "BYTES", "with --mode wrap: " OUTPUT_LIMIT_HELP, BOTH },
        [OPTION_SET] = { "set", 's', "KEY=VALUE", "set any config key, such as sandbox.tmp_bytes=64MiB", BOTH },
        [OPTION_CONFIG] = { "config", 'c', "FILE", "read an additional config file", BOTH },
        [OPTION_PROJECT] = { "project", 0, NULL,
                             "use the settings of the project in the current directory instead of the user's",
                             "install uninstall" },
        [OPTION_DRY_RUN] = { "dry-run", 0, NULL, "print the change without making it", "install uninstall" },
        [OPTION_JSON] = { "json", 'j', NULL, "print JSON", "list" },
        [OPTION_HELP] = OPTION_ROW_HELP,
        {},
};

/* ---- options ---- */

struct setup {
        struct hook_options hook;
        struct overrides overrides;
        char program[PATH_MAX];
        char *config, *workspace;
};

static int modes_read(const char *const *given, struct hook_options *ret) {
        const char *warned = given[OPTION_WARNED];

        if (given[OPTION_MODE] && strcmp(given[OPTION_MODE], "wrap") == 0)
                ret->mode = HOOK_WRAP;
        for (size_t i = HOOK_WARNED_ASK; warned && hook_warned_names[i]; i++)
                if (strcmp(warned, hook_warned_names[i]) == 0)
                        ret->warned = (enum hook_warned)i;
        ret->approve = given[OPTION_APPROVE];
        if (!ret->approve || ret->mode == HOOK_WRAP)
                return 0;
        log_line("hook: --approve requires --mode wrap, because only sandboxed commands can be approved without asking");
        return -1;
}

static int program_read(char ret_path[static PATH_MAX]) {
        ssize_t length = readlink("/proc/self/exe", ret_path, PATH_MAX - 1);

        if (length <= 0 || length >= PATH_MAX - 1) {
                log_line("hook: cannot find the path of the bailey program: is /proc mounted?");
                return -1;
        }
        ret_path[length] = '\0';
        return 0;
}

/* A hook is called anywhere: paths have to be absolute. */
static int path_read(const char *given, char **ret) {
        if (!given)
                return 0;
        *ret = realpath(given, NULL);
        if (!*ret)
                log_line("hook: %s: %m", given);
        return *ret ? 0 : -1;
}

static int setup_read(const struct options *options, struct setup *ret) {
        const char *const *given = options->values;

        *ret = (struct setup){};
        overrides_read(option_rows, options, &ret->overrides);
        if (ret->overrides.failed) {
                log_line("hook: out of memory");
                return -1;
        }
        if (modes_read(given, &ret->hook) < 0 || program_read(ret->program) < 0 ||
            path_read(given[OPTION_CONFIG], &ret->config) < 0 || path_read(given[OPTION_WORKSPACE], &ret->workspace) < 0)
                return -1;
        ret->hook.agent = given[OPTION_AGENT];
        ret->hook.program = ret->program;
        ret->hook.workspace = ret->workspace;
        ret->hook.policy = given[OPTION_POLICY];
        ret->hook.config = ret->config;
        ret->hook.overrides = (const char *const *)ret->overrides.items;
        ret->hook.environment = (const char *const *)environ;
        return 0;
}

static void setup_free(struct setup *setup) {
        overrides_free(&setup->overrides);
        free(setup->config);
        free(setup->workspace);
}

static void tell_lines(struct str text) {
        while (text.len) {
                size_t len = str_find(text, '\n');

                log_line("%.*s", (int)len, text.ptr);
                text = str_skip(text, len + 1);
        }
}

/* ---- the deadline ---- */

/* Agents wait for 30 seconds, as our entries in their settings say, and then some of them go on as if they had been told yes.
 */
enum { PATIENCE = 20 };

static void *deadline_wait(void *unused) {
        (void)unused;
        for (unsigned left = PATIENCE; left > 0;)
                left = sleep(left);
        log_line("hook: no answer after %d seconds; the command is refused", PATIENCE);
        _exit(EXIT_USAGE);
}

/* A thread, as a process that waits for a file system may handle no signals, but can be ended. */
static int deadline_start(void) {
        pthread_t thread;
        int problem = pthread_create(&thread, NULL, deadline_wait, NULL);

        if (problem)
                log_line("hook: cannot start the timer: %s; the command is refused", strerror(problem));
        return problem ? -1 : 0;
}

/* ---- answering ---- */

/* Whatever goes wrong ends in 2: to agents that is a no, and any other failure may be none. */
static int answer(const struct hook_options *options, struct err *err) {
        BUF_AUTO question, out, said;

        buf_init(&question, HOOK_QUESTION_MAX);
        buf_init(&out, HOOK_ANSWER_MAX);
        buf_init(&said, HOOK_ANSWER_MAX);
        if (fd_read_all(STDIN_FILENO, &question, err) < 0)
                return err_context(err, "cannot read the request");
        if (hook_answer(buf_str(&question), options, &out, &said, err) < 0)
                return -1;
        tell_lines(buf_str(&said));
        return fd_write_all(STDOUT_FILENO, buf_str(&out), err) < 0 ? err_context(err, "cannot write the answer") : 0;
}

static enum exit_status hook_run(const struct options *options) {
        struct setup setup;
        struct err err = {};
        int status;

        signal(SIGPIPE, SIG_IGN);
        if (isatty(STDIN_FILENO)) {
                log_line("hook: expected a hook request on standard input. Agents call this command; to set one up, run: "
                         "bailey hook install AGENT");
                return EXIT_USAGE;
        }
        if (deadline_start() < 0)
                return EXIT_USAGE;
        status = setup_read(options, &setup) < 0 ? EXIT_USAGE : EXIT_DONE;
        if (status == EXIT_DONE && answer(&setup.hook, &err) < 0) {
                log_line("hook: %s; the command is refused", err.msg);
                status = EXIT_USAGE;
        }
        setup_free(&setup);
        return status;
}

/* ---- settings ---- */

/* Where users find it, if that is this very program: it stays when the program is replaced by a newer one. */
static void program_on_path(char program[static PATH_MAX], bool by_name) {
        const char *path = getenv("PATH");
        char place[PATH_MAX], real[PATH_MAX];

        for (struct str rest = str_z(path ? path : ""); rest.len; rest = str_skip(rest, str_find(rest, ':') + 1)) {
                struct str directory = str_take(rest, str_find(rest, ':'));

                if (directory.len == 0 || directory.ptr[0] != '/' ||
                    snprintf(place, sizeof(place), "%.*s/bailey", (int)directory.len, directory.ptr) >= (int)sizeof(place) ||
                    access(place, X_OK) < 0)
                        continue;
                if (realpath(place, real) && strcmp(real, program) == 0)
                        snprintf(program, PATH_MAX, "%s", by_name ? "bailey" : place);
                return; /* the first one counts */
        }
}

static enum exit_status change(const struct options *options,
                               int (*act)(const struct hook_install *, struct buf *, struct err *)) {
        struct setup setup;
        struct hook_install install = { .agent = options->operands[0],
                                        .project = options->values[OPTION_PROJECT],
                                        .dry_run = options->values[OPTION_DRY_RUN] };
        struct err err = {};
        enum exit_status status = EXIT_DONE;
        BUF_AUTO said;

        buf_init(&said, HOOK_ANSWER_MAX);
        if (setup_read(options, &setup) < 0) {
                setup_free(&setup);
                return EXIT_USAGE;
        }
        program_on_path(setup.program, install.project);
        install.options = setup.hook;
        if (act(&install, &said, &err) < 0) {
                log_line("hook: %s", err.msg);
                status = EXIT_PROBLEM;
        }
        if (said.len)
                fwrite(said.ptr, 1, said.len, stdout);
        setup_free(&setup);
        return status;
}

static enum exit_status install_run(const struct options *options) {
        return change(options, hook_install);
}

static enum exit_status uninstall_run(const struct options *options) {
        return change(options, hook_uninstall);
}

static enum exit_status list_run(const struct options *options) {
        struct err err = {};
        BUF_AUTO out;

        buf_init(&out, HOOK_ANSWER_MAX);
        if (hook_list((const char *const *)environ, options->values[OPTION_JSON], &out, &err) < 0) {
                log_line("hook: %s", err.msg);
                return EXIT_PROBLEM;
        }
        fwrite(out.ptr, 1, out.len, stdout);
        return EXIT_DONE;
}

/* ---- the command ---- */

static const struct help_row exits[] = {
        { "0", "answered" },
        { "2", "no answer; agents treat this as a refusal" },
        {},
};

static const struct help_row change_exits[] = {
        { "0", "done, or nothing to do" },
        { "1", "the settings cannot be read or written; they are unchanged" },
        { "2", "usage error" },
        {},
};

static const struct cli_subcommand subcommands[] = {
        { "install", HOOK_AGENTS, "add the hook to an agent's settings", install_run, .exits = change_exits,
          .details = "Changes only the hook in the agent's settings file; keeps the old file as FILE.bailey-backup.\n"
                     "Run again with other options to change the hook.\n" },
        { "uninstall", HOOK_AGENTS, "remove the hook from an agent's settings", uninstall_run, .exits = change_exits },
        { "list", "", "show which agents have the hook, in the user's settings and in those of the current project", list_run },
        {},
};

static const struct help_row examples[] = {
        { "bailey hook install claude", "check the commands of Claude Code before they run" },
        { "bailey hook install codex --mode wrap", "run the commands of Codex in a sandbox" },
        { "bailey hook install gemini --project --dry-run", "show what would change in the settings of this project" },
        { "bailey hook list", "list agents and their hooks" },
        {},
};

const struct cli_command cli_hook = {
        .name = "hook",
        .operands = "",
        .summary = "answer the hook requests of coding agents",
        .details =
                "Agents send a request on standard input before they run a command. Blocked commands are refused with the "
                "reason;\n"
                "commands with a warning need the user's consent; for all other commands and tools, nothing is printed. With\n"
                "--mode wrap, commands that are not refused run as bailey run ..., in a sandbox.\n",
        .options = option_rows,
        .subcommands = subcommands,
        .exits = exits,
        .examples = examples,
        .run = hook_run,
};
