/*
 * bailey status, allow, deny, kill: what runs, and what a person changes about it meanwhile.
 */
#include <stdio.h>
#include <unistd.h>

#include "bailey.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/overrides.h"
#include "format/format.h"

static const char *const *here(void) {
        return (const char *const *)environ;
}

/* ---- status ---- */

enum { STATUS_POLICY, STATUS_WORKSPACE, STATUS_CONFIG, STATUS_JSON, STATUS_HELP };

static const struct option_row status_options[] = {
        [STATUS_POLICY] = ROW_POLICY,
        [STATUS_WORKSPACE] = { "workspace", 'w', "DIR", "use the config of this directory; default: the current directory" },
        [STATUS_CONFIG] = ROW_CONFIG,
        [STATUS_JSON] = { "json", 'j', NULL, "print JSON" },
        [STATUS_HELP] = OPTION_ROW_HELP,
        {},
};

static enum exit_status status_run(const struct options *options) {
        const char *const *given = options->values;
        POLICY_AUTO policy = policy_from_options(given[STATUS_POLICY], given[STATUS_WORKSPACE], given[STATUS_CONFIG], NULL);
        char *text, error[512];
        size_t length;

        if (!policy)
                return EXIT_USAGE;
        if (bailey_status(policy, here(), given[STATUS_JSON] ? BAILEY_ANSWER_JSON : BAILEY_ANSWER_TEXT, &text, &length, error,
                          sizeof(error)) < 0) {
                log_line("status: %s", error);
                return EXIT_PROBLEM;
        }
        fwrite(text, 1, length, stdout);
        bailey_free(text);
        return EXIT_DONE;
}

static const struct help_row status_examples[] = {
        { "bailey status", "show the policy, running sessions with their shells, and recently refused commands" },
        {},
};

const struct cli_command cli_status = {
        .name = "status",
        .operands = "",
        .summary = "show the policy in brief, running sessions and recently refused commands",
        .details =
                "Sessions are the servers started by bailey mcp, listed with their policy changes, network and background\n"
                "commands. The network part shows the kind, the method of interception (tproxy, or ports if the kernel lacks\n"
                "nf_tables), allowed hosts, open connections, and the most recent refusals. Refused commands are those that\n"
                "did not run; bailey test refuses nothing. They are read from the audit log, and from the memory of sessions\n"
                "with audit.enabled = false.\n",
        .options = status_options,
        .examples = status_examples,
        .run = status_run,
};

/* ---- allow, deny ---- */

enum { CHANGE_SESSION, CHANGE_SAVE, CHANGE_LIST, CHANGE_JSON };
enum { CHANGED_MAX = 64 << 10 };

#define ROW_SESSION \
        { "session", 0, "SESSION", "select a session, if several are running; a unique prefix of its ID is enough" }
#define ROW_SAVE \
        { "save", 0, NULL, "change your config file instead, for future sessions" }

static const struct option_row allow_options[] = {
        [CHANGE_SESSION] = ROW_SESSION,
        [CHANGE_SAVE] = ROW_SAVE,
        [CHANGE_LIST] = { "list", 'l', NULL, "list allowed domains and the changes made in sessions" },
        [CHANGE_JSON] = { "json", 'j', NULL, "with --list: print JSON" },
        OPTION_ROW_HELP,
        {},
};

static const struct option_row deny_options[] = {
        [CHANGE_SESSION] = ROW_SESSION,
        [CHANGE_SAVE] = ROW_SAVE,
        OPTION_ROW_HELP,
        {},
};

static enum exit_status save_change(enum bailey_change change, const char *name, const char *subject) {
        char *path, error[512];
        int changed = bailey_config_change(here(), change, subject, &path, error, sizeof(error));

        if (changed < 0) {
                log_line("%s: %s", name, error);
                return EXIT_PROBLEM;
        }
        printf("%s %s\n", path,
               changed ? "changed; sessions that are already running are not affected" : "already contains it");
        bailey_free(path);
        return EXIT_DONE;
}

static enum exit_status change_run(const struct options *options, enum bailey_change change, const char *name) {
        const char *const *given = options->values;
        struct bailey_changed changed;
        char error[512];
        BUF_AUTO text;

        buf_init(&text, CHANGED_MAX);
        if (options->operand_count != 1) {
                log_line("%s: expected one operand; see bailey %s --help", name, name);
                return EXIT_USAGE;
        }
        if (given[CHANGE_SAVE] && given[CHANGE_SESSION]) {
                log_line("%s: --save and --session exclude each other", name);
                return EXIT_USAGE;
        }
        if (given[CHANGE_SAVE])
                return save_change(change, name, options->operands[0]);
        if (bailey_sessions_change(here(), given[CHANGE_SESSION], change, options->operands[0], &changed, error,
                                   sizeof(error)) < 0) {
                log_line("%s: %s", name, error);
                return EXIT_PROBLEM;
        }
        format_changed_text(&changed, &text);
        fwrite(text.ptr, 1, text.len, stdout);
        bailey_changed_free(&changed);
        return EXIT_DONE;
}

static enum exit_status allow_list(bool json) {
        POLICY_AUTO policy = policy_from_options(NULL, NULL, NULL, NULL);
        char *text, error[512];
        size_t length;

        if (!policy)
                return EXIT_USAGE;
        if (bailey_allowed(policy, here(), json ? BAILEY_ANSWER_JSON : BAILEY_ANSWER_TEXT, &text, &length, error,
                           sizeof(error)) < 0) {
                log_line("allow: %s", error);
                return EXIT_PROBLEM;
        }
        fwrite(text, 1, length, stdout);
        bailey_free(text);
        return EXIT_DONE;
}

static enum exit_status allow_run(const struct options *options) {
        const char *const *given = options->values;

        if (given[CHANGE_LIST] && (options->operand_count || given[CHANGE_SAVE] || given[CHANGE_SESSION])) {
                log_line("allow: --list cannot be combined with DOMAIN, --save or --session");
                return EXIT_USAGE;
        }
        if (given[CHANGE_JSON] && !given[CHANGE_LIST]) {
                log_line("allow: --json requires --list");
                return EXIT_USAGE;
        }
        if (given[CHANGE_LIST])
                return allow_list(given[CHANGE_JSON]);
        return change_run(options, BAILEY_ALLOW_DOMAIN, "allow");
}

static enum exit_status deny_run(const struct options *options) {
        return change_run(options, BAILEY_DENY_COMMAND, "deny");
}

static const struct help_row allow_examples[] = {
        { "bailey allow example.org", "allow this domain in the running session" },
        { "bailey allow --save '*.example.org'", "allow the domain and its subdomains permanently" },
        {},
};

static const struct help_row deny_examples[] = {
        { "bailey deny docker", "block docker in the running session" },
        { "bailey deny evil.example", "block connections to this host in the running session" },
        { "bailey deny --save 'git push'", "block git push permanently" },
        {},
};

const struct cli_command cli_allow = {
        .name = "allow",
        .operands = "[DOMAIN]",
        .summary = "allow commands of a running session to access a domain",
        .details =
                "Adds DOMAIN to guard.domain_allowlist of a session (see bailey status), from its next command until it ends.\n"
                "With sandbox.network = \"allow_hosts\" or \"packages\", also adds it to sandbox.network.hosts; DOMAIN can "
                "then\n"
                "have a port: example.org:8443. With \"deny\", commands still have no network. The change is written to the\n"
                "audit log.\n",
        .options = allow_options,
        .examples = allow_examples,
        .run = allow_run,
};

const struct cli_command cli_deny = {
        .name = "deny",
        .operands = "COMMAND",
        .summary = "block a command in a running session",
        .details =
                "COMMAND is the name of a program, or the first words of a command; options between the words are ignored.\n"
                "Adds COMMAND to guard.command_blocklist of a session, from its next command until it ends. The change is\n"
                "written to the audit log.\n"
                "\n"
                "A name with a dot can also be a host: it is added to guard.domain_denylist, too, which takes precedence over\n"
                "all lists of allowed hosts; bailey allow removes it. HOST:PORT is removed from sandbox.network.hosts if it\n"
                "is listed there; hosts are denied with all their ports.\n",
        .options = deny_options,
        .examples = deny_examples,
        .run = deny_run,
};

/* ---- kill ---- */

static const struct option_row kill_options[] = { OPTION_ROW_HELP, {} };

static enum exit_status kill_run(const struct options *options) {
        char error[512];

        if (bailey_sessions_kill(here(), options->operands[0], error, sizeof(error)) < 0) {
                log_line("kill: %s", error);
                return EXIT_PROBLEM;
        }
        return EXIT_DONE;
}

const struct cli_command cli_kill = {
        .name = "kill",
        .operands = "SHELL_ID",
        .summary = "kill a background command of a running session",
        .details = "Sends SIGTERM, and SIGKILL after run.kill_grace, to the command and its child processes. bailey status "
                   "lists the IDs.\n",
        .options = kill_options,
        .run = kill_run,
};
