/*
 * bailey: checks bash commands, and runs them in a sandbox.
 *
 * The library never prints, exits, or keeps global state. Texts are bytes with a length: they may hold NUL bytes and
 * need not be UTF-8. Out parameters are unchanged on failure (-1). A calling thread needs 1 MiB of stack.
 *
 * Functions return data, in structs. Pointers in such a struct are valid until it is passed to the function that frees it;
 * they do not depend on any other object, not even on the policy. The program formats the data. Functions with ret_text are
 * the exception: they return a complete document (a tree, a config file, a schema, a page), or text that was written elsewhere
 * (records of the audit log, the status of other sessions). Free such a text with bailey_free().
 */
#ifndef BAILEY_H
#define BAILEY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

enum bailey_format {
        BAILEY_TREE,     /* the tree, for people: a line per node */
        BAILEY_JSON,     /* the tree, for programs: every node with its place in the text */
        BAILEY_COMMANDS, /* {"ok", "error", "commands": [[word, ...], ...]}: every simple command, including nested ones */
        BAILEY_PRINT,    /* bash text that parses to the same tree, in a uniform style */
        BAILEY_EXPANDED, /* the commands in order of execution, as JSON: words are known, patterns, or unknown with a reason */
        BAILEY_ERROR,    /* error message for people: position and message, the line, a caret; empty if there is no error */
};

/*
 * Parses `text` as `bash -c` would, without running anything. The result is followed by a NUL that is not counted.
 *
 * Returns 0 if bash would accept the text; 1 if it would not, or if the text exceeds a limit of this library: then the
 * result contains the part before that position, and the error; -1 if there is not enough memory, or if the result would
 * be too large.
 */
int bailey_parse(const char *text, size_t length, enum bailey_format format, char **ret_text, size_t *ret_length);

/* ---- verdicts ---- */

struct bailey_policy;

/* Every pointer may be NULL. */
struct bailey_policy_options {
        const char *policy;             /* "default", "readonly", "build", or one that a config file defines */
        const char *workspace;          /* the directory in which commands work */
        const char *config;             /* an additional config file */
        const char *const *overrides;   /* "guard.mode=warn", NULL-terminated */
        const char *const *environment; /* with HOME and XDG_CONFIG_HOME, NULL-terminated; NULL: no files of a user */
        const char *program; /* the path of bailey, which the bwrap sandbox starts inside, or of any program that calls
                              * bailey_run_inside() when its first argument is "__inside". NULL: where bailey was installed;
                              * "": this program */
};

/* Finds and reads the config files. On failure returns -1, and a message with the file, the position and the error. */
int bailey_policy_load(const struct bailey_policy_options *options, struct bailey_policy **ret, char *ret_error,
                       size_t error_size);
void bailey_policy_free(struct bailey_policy *policy);

enum bailey_action {
        BAILEY_ALLOWED,
        BAILEY_WARNED,
        BAILEY_BLOCKED,
};

enum bailey_answer {
        BAILEY_ANSWER_TEXT,
        BAILEY_ANSWER_JSON,
};

/* Bytes without a terminating NUL; they may contain NULs. */
struct bailey_text {
        const char *text;
        size_t length;
};

/* Reason of a warning, or why a command is blocked. */
struct bailey_reason {
        struct bailey_text rule;    /* its ID, or the name of a pattern of the user */
        struct bailey_text message; /* what the command would do, and what to do instead */
        int blocks;                 /* not 0: the command is blocked; 0: a warning */
        const char *effect;         /* the effect that the rule matched: "delete"; NULL: none */
        size_t start, end;          /* position in the command, in bytes */
};

/* An effect of a command. */
struct bailey_effect {
        const char *kind;           /* "delete", "write", "connect", "run" */
        struct bailey_text subject; /* a path, a host, a program */
        size_t start, end;          /* as of a reason */
};

/* A simple command in the text, at any depth. */
struct bailey_command {
        const struct bailey_text *words; /* as written in the text */
        size_t count;
};

struct bailey_verdict {
        enum bailey_action action;
        int bypassed;                        /* not 0: the environment disables the guard */
        int would_block;                     /* not 0: there is only a warning, because guard.mode is "warn" */
        int empty;                           /* not 0: the text contains no command */
        const struct bailey_reason *reasons; /* the most severe first */
        size_t reason_count;
        const struct bailey_command *commands; /* outer before inner */
        size_t command_count;
        const struct bailey_effect *effects; /* in the order in which they would happen */
        size_t effect_count;
        void *memory;
};

/*
 * Determines the effects of a command, and whether it is allowed. Returns an enum bailey_action, and the verdict, which does
 * not refer to the policy or the text; -1 if there is not enough memory: then the command must not run.
 */
int bailey_check(const struct bailey_policy *policy, const char *text, size_t length, struct bailey_verdict *ret);

/* For a command that starts in another directory than the workspace; NULL: in the workspace. `decides`: not 0 if a command that
 * is blocked will not be run. Then it is logged as refused, not as only checked. */
int bailey_check_at(const struct bailey_policy *policy, const char *cwd, int decides, const char *text, size_t length,
                    struct bailey_verdict *ret);
void bailey_verdict_free(struct bailey_verdict *verdict);

enum bailey_network {
        BAILEY_NETWORK_NONE,  /* only localhost */
        BAILEY_NETWORK_HOSTS, /* only some hosts */
        BAILEY_NETWORK_ALL,
};

struct bailey_abilities {
        int sandboxed;        /* 0: commands run without any sandbox, with the user's permissions */
        int writes_workspace; /* in a sandbox; without one, everything can be written */
        int keeps_tmp;        /* the commands of a session share /tmp; else each has its own */
        int own_home;         /* the home directory belongs to the workspace, where the sandbox that is chosen supports that */
        enum bailey_network network;
        int guarded;     /* blocked commands do not run */
        int any_host;    /* the guard lets commands name any host */
        char *commands;  /* the only commands that the guard allows: "grep, cat, npm run"; NULL: no such list */
        int keeps_state; /* a command of a session starts in the last directory of the previous one, with its variables */
        long long timeout_ms, timeout_max_ms, background_max_ms, kill_grace_ms;
        long long shells_max; /* background commands at a time */
        int warned_runs;      /* commands with a warning run if the user cannot be asked (mcp.warned) */
        long long ask_timeout_ms;
};

/* Abilities of commands under a policy, to describe it. `environment` is that of this program, which may contain
 * BAILEY_SANDBOX. Returns -1 if there is not enough memory. Free `commands` with bailey_free(). */
int bailey_abilities(const struct bailey_policy *policy, const char *const *environment, struct bailey_abilities *ret);

struct bailey_rule {
        const char *id;
        int blocks;           /* as of a reason */
        const char *policies; /* that use it: "all", "default", "readonly, build" */
        const char *effect;   /* that it matches */
        const char *message;  /* message of its reasons; %s is the subject of the effect */
        const char *instead;  /* what to do instead */
        const char *example;  /* a command that it catches */
};

/* The rules of the guard. Returns 1, and the one with this number; 0 past the last one. */
int bailey_rule(size_t index, struct bailey_rule *ret);

/* Hosts that sandbox.network.hosts can name together: "@github". */
struct bailey_preset {
        const char *name; /* with the @ */
        const char *help;
        const char *const *hosts; /* NULL-terminated */
};

/* Returns 1, and the one with this number; 0 past the last one. */
int bailey_preset(size_t index, struct bailey_preset *ret);

/* ---- config files ---- */

/* Notices for the user, such as that a workspace's file is not trusted; NULL past the last one. */
const char *bailey_policy_notice(const struct bailey_policy *policy, size_t index);

/* Every value of the policy and its origin. */
int bailey_config_show(const struct bailey_policy *policy, enum bailey_answer answer, char **ret_text, size_t *ret_length);

/* Checks options->config, and each policy that it defines. Errors as with bailey_policy_load(), here and below. */
int bailey_config_check(const struct bailey_policy_options *options, char *ret_error, size_t error_size);

struct bailey_policy_name {
        const char *name;
        const char *help; /* of a built-in one; NULL: it is none */
        const char *file; /* the first config file that defines or changes it; NULL: none does */
};

struct bailey_policy_names {
        const struct bailey_policy_name *items;
        size_t count;
        void *memory;
};

/* The available policies: the built-in ones, and those of config files. options->policy is ignored;
 * without options, only the built-in ones. */
int bailey_config_policies(const struct bailey_policy_options *options, struct bailey_policy_names *ret, char *ret_error,
                           size_t error_size);
void bailey_policy_names_free(struct bailey_policy_names *names);

struct bailey_config_key {
        const char *section, *name; /* "container.resource_limits", "memory" */
        const char *help;           /* a sentence or two */
        const char *const *words;   /* its possible values, NULL-terminated; NULL: other values */
};

struct bailey_config_keys {
        const struct bailey_config_key *items; /* section by section */
        size_t count;
        void *memory;
};

/* The keys that a section of a config file can have, and that bailey_policy_options.overrides can set. Returns -1 without
 * memory. */
int bailey_config_keys(struct bailey_config_keys *ret);
void bailey_config_keys_free(struct bailey_config_keys *list);

/* The JSON Schema of config files. */
int bailey_config_schema(char **ret_text, size_t *ret_length);

/* Writes the user's config file with all keys commented out, and returns its path. An existing file is not replaced: that
 * is an error, unless `force` is not 0. */
int bailey_config_init(const char *const *environment, int force, char **ret_path, char *ret_error, size_t error_size);

/* A setting of another program, as a value of bailey's config. */
struct bailey_import_value {
        const char *key;            /* "guard.command_blocklist", "env.set.NAME" */
        const char *value;          /* in the syntax of JSON and TOML; of a list, an item */
        const char *file, *setting; /* origin: "permissions.deny[0]" */
        struct bailey_text text;    /* text of the setting */
        unsigned line;
};

/* A skipped setting. */
struct bailey_import_left {
        const char *file, *setting;
        struct bailey_text text;
        unsigned line;
        const char *reason;
        int denies; /* not 0: it denies something, or asks about it, which is lost */
};

struct bailey_import {
        struct bailey_text config; /* the values as a config file, with their origins */
        const struct bailey_import_value *values;
        size_t value_count;
        const struct bailey_import_left *left;
        size_t left_count;
        const char *const *files;  /* that were read, NULL-terminated */
        const char *const *places; /* where files are searched, the same */
        const char *changed;       /* with `apply`: the user's config file; NULL: it did not have to be changed */
        void *memory;
};

struct bailey_import_options {
        const char *format;             /* "claude", "codex", "srt", "gemini", "cursor" or "fence" */
        const char *file;               /* NULL: the files in the usual places */
        const char *const *environment; /* with HOME, NULL-terminated */
        int apply; /* put the values into the user's config file. Without `file`, those of the workspace are not read then */
};

/* Reads settings of another program. Denials may become stricter, permissions narrower, never the other way round. The
 * workspace is the current directory. */
int bailey_import(const struct bailey_import_options *options, struct bailey_import *ret, char *ret_error, size_t error_size);
void bailey_import_free(struct bailey_import *import);

enum bailey_variable_action {
        BAILEY_VARIABLE_PASSED,
        BAILEY_VARIABLE_SET, /* by the policy, or because there is no network */
        BAILEY_VARIABLE_DROPPED,
};

struct bailey_variable {
        struct bailey_text name;
        enum bailey_variable_action action;
        const char *reason; /* "looks like a secret: a token (*TOKEN)" */
        const char *rule;   /* the pattern of the built-in rule behind it; NULL: none is */
};

struct bailey_variables {
        const struct bailey_variable *items; /* passed variables first, then set ones, then dropped ones */
        size_t count;
        const char *policy; /* its name */
        void *memory;
};

/* Returns which variables of `environment` are passed to a command, and why others are not: names, no values. Returns -1 if
 * there is not enough memory. */
int bailey_env_show(const struct bailey_policy *policy, const char *const *environment, struct bailey_variables *ret);
void bailey_variables_free(struct bailey_variables *variables);

/*
 * Trusts the config file of a directory, with its present content (`trust` not 0), or revokes that. `ret_path` is the file's
 * path. Returns 1 if that changed something, 0 if not.
 */
int bailey_trust(const char *const *environment, const char *directory, int trust, char **ret_path, char *ret_error,
                 size_t error_size);

struct bailey_trusted_file {
        const char *path;
        const char *sha256; /* of its content when it was trusted */
};

struct bailey_trusted_files {
        const struct bailey_trusted_file *items;
        size_t count;
        void *memory;
};

/* All trusted files. */
int bailey_trust_list(const char *const *environment, struct bailey_trusted_files *ret, char *ret_error, size_t error_size);
void bailey_trusted_files_free(struct bailey_trusted_files *files);

/* ---- running ---- */

enum bailey_terminal {
        BAILEY_TERMINAL_NONE,
        BAILEY_TERMINAL_POSSIBLE, /* if the sandbox can give the command one */
        BAILEY_TERMINAL_REQUIRED, /* or it does not run */
};

/* The user's answer for a command with a warning, or with needs that its policy does not allow. */
enum bailey_consent {
        BAILEY_CONSENT_ASSUMED, /* nobody is asked: runs with a warning, but not with unmet needs */
        BAILEY_CONSENT_NONE,    /* refused; `refusal` is the reason why nobody has agreed */
        BAILEY_CONSENT_TO_ASK,  /* wait for an answer before it starts: bailey_start() returns 1 */
        BAILEY_CONSENT_ONCE,    /* to this command; this and the next ones need `agreed` */
        BAILEY_CONSENT_SESSION, /* also to later ones of the session with no other needs */
        BAILEY_CONSENT_ALWAYS,  /* and of future sessions: saved in the user's config file */
};

struct bailey_run_options {
        const char *command;            /* bash text; or: */
        const char *const *argv;        /* a program and its arguments, NULL-terminated */
        const char *cwd;                /* in the workspace; NULL: the workspace itself */
        const char *const *environment; /* from which the command's environment is taken, NULL-terminated */
        long long timeout_ms;           /* 0: the policy's; limited to run.timeout_max; -1: none */
        int in_fd;                      /* standard input of the command; 0: empty. Only for bailey_run() */
        int capture;                    /* not 0: keep the output, bounded; 0: it goes to out_fd and err_fd as it is, up to
                                           run.output_bytes if run.output_limit is "always" */
        int out_fd, err_fd;             /* 0: nowhere */
        enum bailey_terminal terminal;  /* the command gets a terminal of its own: what in_fd holds is typed there, and what
                                           it shows goes to out_fd, without sequences that would make a terminal answer
                                           with a text, or set its clipboard. If in_fd is a terminal, it is in raw mode
                                           meanwhile. stderr is part of it if err_fd is a terminal, or the same as out_fd.
                                           With bailey_run(), without capture. With bailey_start() and background: what
                                           bailey_input() is given is typed there, `out` of a reading is what it shows,
                                           and bailey_screen() its screen. There, any of these is BAILEY_TERMINAL_REQUIRED */
        int rows, columns;              /* of that, with bailey_start(), at most 200 and 500; 0: 24 and 80 */
        int terminal_signals_fd;        /* with it: a signalfd (SFD_NONBLOCK) of SIGWINCH, SIGTSTP and SIGCONT, which the
                                           caller blocks: the size follows, and the process can be stopped; 0 or -1: none */
        int cancel_fd;                  /* the command is killed when it becomes readable; 0 or -1: none */
        int status_fd;                  /* {"event":"started"...} and {"event":"exited"...}, a line each; 0 or -1: none */
        int force;                      /* accept a workspace such as /, /tmp or the home directory */
        int plan_only;                  /* run nothing; the outcome's output is the launch plan */
        int background;                 /* only for bailey_start() */
        int input;                      /* not 0: standard input comes from bailey_input(). Only with background */
        int fresh;                   /* not 0: without the directory and the variables that the commands of the session before
                                        it have left, and what it leaves replaces them. Only for bailey_start() */
        enum bailey_consent consent; /* only for bailey_start(); of bailey_run() it has to be 0 */
        const char *description;     /* purpose of the command, for the audit log; NULL: none */
        const char *session; /* commands with this name and the same workspace share a /tmp, also those of other processes;
                                NULL: none. Letters, digits, '.', '_' and '-', at most 64. Only for bailey_run() */
        int evidence;      /* not 0: system calls that are denied are noted, for `findings` of the outcome. Paths are seen that
                              the command prints nothing of; it is slower. Only with native and bwrap, and bailey_run().
                              Where the policy allows no network, the network is one with no allowed host, in which
                              names can be seen */
        const char *stage; /* what the command writes in the workspace is kept in the stage of this name, where later
                              commands of the same name see it, until it is applied; NULL: it is written there. A name
                              like that of a session. See bailey_stage_diff() */

        /* Only for bailey_start(), and so are the rest; of bailey_run() they have to be 0. */
        const char *const
                *need_hosts; /* that it has to reach: "example.org", "example.org:8443"; NULL-terminated; NULL: none */
        const char *const *need_write; /* directories and files that it has to write, absolute or ~/...; as need_hosts */
        const char *refusal;           /* with BAILEY_CONSENT_NONE: a sentence or two; NULL: none */
        const char *agreed;            /* `digest` of the question that the user has answered */
};

enum bailey_end {
        BAILEY_EXITED, /* by itself, or by a signal */
        BAILEY_TIMED_OUT,
        BAILEY_CANCELLED,
        BAILEY_REFUSED,   /* by the guard; nothing ran */
        BAILEY_NOT_FOUND, /* no such program */
        BAILEY_FAILED,    /* no sandbox, or invalid options; nothing ran */
        BAILEY_PLANNED,   /* plan_only */
};

enum bailey_limit_state {
        BAILEY_LIMIT_NONE, /* the policy does not set it */
        BAILEY_LIMIT_ENFORCED,
        BAILEY_LIMIT_BEST_EFFORT,
        BAILEY_LIMIT_NOT_ENFORCED,
};

struct bailey_limit {
        const char *name; /* "memory", "pids", "cpu" */
        enum bailey_limit_state state;
};

/* A host that a command used or was refused: only if the policy lists hosts (sandbox.network.kind). */
struct bailey_traffic_host {
        const char *host;                         /* a name or an address */
        int port;                                 /* 0: only its name was looked up */
        const char *by;                           /* how the host was recognised: "dns", "sni", "http", "address", "forward" */
        const char *verdict;                      /* "allowed", or the reason: "not_listed", ... */
        const char *address;                      /* the address that was used; NULL: none */
        const char *message;                      /* reason of a refusal, and what to do; NULL: not refused */
        unsigned long long connections, up, down; /* up, down: bytes */
};

struct bailey_traffic {
        unsigned long long up, down;             /* of all hosts, in bytes */
        const struct bailey_traffic_host *hosts; /* refused ones first */
        size_t host_count;
};

/* How many files of the workspace a stage changes, after the command. */
struct bailey_staged {
        const char *name;
        unsigned long long changed, added, deleted;
};

struct bailey_why_finding;

struct bailey_outcome {
        enum bailey_end end;
        int exit_code;           /* as in a shell: the command's own, 128 + signal; 124, 125, 126, 127 */
        int signal;              /* that ended it; 0: none */
        int wrong;               /* not 0: of BAILEY_FAILED: the options are invalid, so that another attempt would fail, too */
        const char *message;     /* error message; NULL: none */
        const char *explanation; /* probable reason of a failure, and what to do; NULL: unknown */
        const char *const *notices;  /* one line each, NULL-terminated; NULL: none */
        const char *backend;         /* NULL: nothing ran */
        const char *planned;         /* the backend of the last plan, also where nothing ran; NULL: nothing was planned */
        const char *const *enforced; /* what that plan enforces, NULL-terminated, as the next one; NULL: nothing was planned */
        const char *const *not_enforced;
        const struct bailey_limit *limits;
        size_t limit_count;
        enum bailey_action action; /* the verdict of the guard */
        const struct bailey_reason *reasons;
        size_t reason_count;
        const char *output; /* UTF-8 with a NUL behind it, and a note where text was omitted; NULL: not captured */
        size_t output_length;
        unsigned long long output_bytes, elided_bytes;
        int truncated;    /* not 0: elided_bytes of the output are omitted */
        int invalid_utf8; /* not 0: some of the output was not UTF-8, and was replaced */
        long long duration_ms;
        const char *cwd; /* where the next command of the session starts; of bailey_run(): where it ran. NULL: not known */
        const struct bailey_traffic *network;      /* NULL: the policy lists no hosts */
        const struct bailey_staged *staged;        /* NULL: the workspace was not staged */
        const struct bailey_why_finding *findings; /* with `evidence`: what was denied; the most certain first */
        size_t finding_count;
        int findings_lost; /* not 0: there were more */
        void *memory;      /* of all these texts */
};

/* Checks the command, creates its sandbox, runs it, and cleans up. Returns 0, also if nothing ran: see `end`; -1 if there is
 * not enough memory. */
int bailey_run(const struct bailey_policy *policy, const struct bailey_run_options *options, struct bailey_outcome *ret);
void bailey_outcome_free(struct bailey_outcome *outcome);

/* ---- learning what a command needs ---- */

struct bailey_learn_options {
        struct bailey_run_options
                run;            /* the command, its directory, environment and timeout; cancel_fd. The rest has to be 0 */
        const char *keep_stage; /* the last run, under the proposal, leaves its changes of the workspace in the stage of this
                                   name; NULL: they are discarded, as those of all other runs are */
        int trusted; /* not 0: what only a command that is trusted may be given is tried: files of the user that the policy
                        does not show together with connections, and services of this host (ports, unix sockets) */
};

struct bailey_learn_line {
        const char *key;
        const char *value;   /* of a list, the text of one item: /x; else as JSON writes it: "allow_hosts" or 4096 */
        int list;            /* not 0: of a list */
        const char *text;    /* what was denied without it */
        const char *program; /* that was denied it, by the name that it gives itself; NULL: not known */
};

/* What was denied, and is not proposed. */
struct bailey_learn_refused {
        const char *subject, *text; /* text: what was denied */
        const char *reason;
        const char *program; /* NULL: not known */
};

struct bailey_learned {
        int passes;          /* not 0: the last run, under all of `lines` and nothing else, ended with status 0 */
        const char *problem; /* why it does not; NULL: it passes */
        const struct bailey_learn_line *lines; /* if it passes, it does not pass without any of them */
        size_t line_count;
        const struct bailey_learn_refused *refused;
        size_t refused_count;
        unsigned runs;
        int exit_code;      /* of the last run that failed */
        const char *output; /* of that run; NULL: none failed */
        size_t output_length;
        const char *const *notices; /* NULL-terminated */
        void *memory;
};

/*
 * Runs a command in stages that are discarded, until it passes, under the policy and what its evidence says that it lacks.
 * Writes outside of the workspace go to copies, and its home directory is a copy, too. Then leaves out each line that it passes
 * without. The proposal is what a command asked for, which may be hostile: nothing that is wide, or that holds credentials, is
 * proposed or tried. Nobody is asked, and no file of the user is changed. Fails if no stage can be had; errors as with
 * bailey_policy_load(), here and below.
 */
int bailey_learn(const struct bailey_policy *policy, const struct bailey_learn_options *options, struct bailey_learned *ret,
                 char *ret_error, size_t error_size);
void bailey_learned_free(struct bailey_learned *learned);

/* The config file of the user (`workspace` NULL) or of a workspace with the lines in it: `ret_diff` is what changes, as diff -u
 * writes it. `write` not 0: changes the file. A workspace's has to be trusted then (bailey_trust()). */
int bailey_learn_config(const struct bailey_learned *learned, const char *const *environment, const char *workspace, int write,
                        char **ret_path, char **ret_diff, char *ret_error, size_t error_size);

/* ---- several at once ---- */

/*
 * A session runs several commands in an event loop of the program: when bailey_session_fd() is readable, call
 * bailey_session_step(), which never waits, and take the events. All commands end with the session. Not thread-safe.
 */
struct bailey_session;

/* The environment of commands is taken from `environment`, which is copied. The policy must stay valid. Errors as with
 * bailey_policy_load(), here and below. */
int bailey_session_new(const struct bailey_policy *policy, const char *const *environment, struct bailey_session **ret,
                       char *ret_error, size_t error_size);

/* Kills all running commands, and waits for their end. */
void bailey_session_free(struct bailey_session *session);

int bailey_session_fd(const struct bailey_session *session);
void bailey_session_step(struct bailey_session *session);

enum { BAILEY_ID_SIZE = 37 }; /* a UUID and its NUL */

enum bailey_event_kind {
        BAILEY_EVENT_STARTED, /* a background command runs now */
        BAILEY_EVENT_OUTPUT,  /* there is more output since the last such event */
        BAILEY_EVENT_ENDED,   /* it has ended, or never ran: see its outcome */
};

struct bailey_event {
        enum bailey_event_kind kind;
        char id[BAILEY_ID_SIZE];
};

/* Returns 1 and an event; 0 if there is none. */
int bailey_session_event(struct bailey_session *session, struct bailey_event *ret);

/*
 * Starts a command, whose output is captured; out_fd, err_fd, cancel_fd, status_fd and plan_only are ignored. With
 * `background`, stdout and stderr are kept apart and can be read while it runs, its timeout is run.background_max unless a
 * shorter one is asked for, and it stays readable for a while after its end. Fails when there are too many of these, or without
 * memory; a command that is refused has ended. Returns 1 when nothing was started, because of BAILEY_CONSENT_TO_ASK.
 */
int bailey_start(struct bailey_session *session, const struct bailey_run_options *options, char ret_id[BAILEY_ID_SIZE],
                 char *ret_error, size_t error_size);

enum bailey_asked_kind {
        BAILEY_ASKED_WARNING, /* to run it despite a warning */
        BAILEY_ASKED_HOST,    /* to let it reach a host */
        BAILEY_ASKED_WRITE,   /* to let it write a path */
};

struct bailey_asked {
        enum bailey_asked_kind kind;
        struct bailey_text subject; /* a host, a path, the name of a rule */
        struct bailey_text why;     /* of a warning: what the command would do; else empty */
};

/* A question to the user before a command runs. Its texts may contain any bytes: make these visible when you show them. */
struct bailey_question {
        const struct bailey_asked *items;
        size_t count;
        int session, always; /* not 0: a possible answer besides "once" */
        const char *command; /* all of it */
        const char *cwd;     /* that it starts in; NULL: the workspace */
        const char *digest;  /* of the command, what it starts with, what is asked and the policy in force: 64 hexadecimal
                                digits. Another question has another one */
        void *memory;
};

/* After bailey_start() has returned 1, with the same options. Returns 1 and the question; 0 when there is none, as the command
 * is refused whatever the user says, or needs nothing any more: start it with BAILEY_CONSENT_NONE and without needs. Errors are
 * those of the needs. */
int bailey_question(struct bailey_session *session, const struct bailey_run_options *options, struct bailey_question *ret,
                    char *ret_error, size_t error_size);
void bailey_question_free(struct bailey_question *question);

/* Writes a question of `client` to its user to the audit log (`answer` NULL), or the answer, such as "once" or "declined".
 * A question that cannot be recorded must not be asked, nor its answer count, unless the policy allows that: -1. */
int bailey_question_record(struct bailey_session *session, const struct bailey_question *question, const char *client,
                           const char *answer, char *ret_error, size_t error_size);

/* Returns the outcome of a command, once: 1; 0 if it has not ended; -1 if there is no such command, also for a background
 * command: use bailey_read(). */
int bailey_take(struct bailey_session *session, const char *id, struct bailey_outcome *ret);

/* Ends a command by a signal, and after run.kill_grace by SIGKILL (9), or by SIGKILL at once. Has no effect on a command that
 * has ended. Returns -1 if there is no such command. */
int bailey_kill(struct bailey_session *session, const char *id, int signal);

/* For the standard input of a background command that was started with `input`. */
struct bailey_input {
        const char *text; /* any bytes; NULL: none */
        size_t length;
        const char *const *keys; /* behind the text, for a terminal: "Enter", "Up", "C-c", "M-x", NULL-terminated; NULL: none */
        int end;                 /* not 0: its standard input ends there; to a terminal, Ctrl-D is typed */
};

struct bailey_input_taken {
        size_t taken;   /* bytes: all of the text, and what the keys send */
        size_t waiting; /* bytes, of this call and earlier ones, for which the pipe to the command has no room yet */
};

/*
 * Writes to a command's standard input, without waiting for the command: what it does not read yet is kept, up to 1 MiB. All of
 * the text is taken, or nothing, and then the error says why: the command has ended or closed its input, or too much waits.
 * What is for a shell is checked as commands are, together with what it was given before; what the guard blocks is an error,
 * too.
 */
int bailey_input(struct bailey_session *session, const char *id, const struct bailey_input *input,
                 struct bailey_input_taken *ret, char *ret_error, size_t error_size);

/* Sends a signal to the command's process group, or to the one that is in the foreground of its terminal. Fails if the
 * command has ended. */
int bailey_signal(struct bailey_session *session, const char *id, int signal, char *ret_error, size_t error_size);

/* Changes the size of a command's terminal, and notifies its programs. */
int bailey_resize(struct bailey_session *session, const char *id, int rows, int columns, char *ret_error, size_t error_size);

/* The screen of a command's terminal. */
struct bailey_screen {
        const char *text; /* UTF-8: a line for each row, without blanks at its end, and without the rows at the end that are
                             blank. Secrets are replaced, as in other output */
        size_t length;
        int rows, columns;
        int row, column;  /* of the cursor, from 1 */
        int cursor_shown; /* 0: hidden by the program */
        int alternate;    /* not 0: the alternate screen, which editors use */
        void *memory;
};

/* Returns the present screen, or the one at the end of the command. Fails if the command has no terminal. */
int bailey_screen(struct bailey_session *session, const char *id, struct bailey_screen *ret, char *ret_error,
                  size_t error_size);
void bailey_screen_free(struct bailey_screen *screen);

struct bailey_read_options {
        const char *since;  /* `next` of an earlier reading: output after it; NULL: all stored output, without its middle */
        const char *filter; /* a regular expression: only lines that match */
        size_t limit;       /* bytes of each stream; 0: run.output_bytes */
        int tail;           /* not 0: if there is more, return the end */
};

struct bailey_stream {
        const char *text; /* UTF-8, with a note where text was omitted */
        size_t length;
        unsigned long long bytes, elided; /* received in total; omitted in the text */
};

enum bailey_status {
        BAILEY_STATUS_RUNNING,
        BAILEY_STATUS_COMPLETED, /* by itself: `exit_code` */
        BAILEY_STATUS_KILLED,
        BAILEY_STATUS_TIMED_OUT,
        BAILEY_STATUS_FAILED, /* it never ran */
};

struct bailey_reading {
        enum bailey_status status;
        int exit_code; /* 0 while it runs */
        const char *command;
        const char *description; /* as given; NULL: none */
        const char *started;     /* "2026-11-16T04:30:00.000Z" */
        long long duration_ms;
        const char *message; /* as of its outcome, this and the next; NULL: none */
        const char *explanation;
        struct bailey_stream out, err; /* of a foreground command `out` has both */
        const char *next;
        void *memory;
};

/* Reads the output of a command, also while it runs. */
int bailey_read(struct bailey_session *session, const char *id, const struct bailey_read_options *options,
                struct bailey_reading *ret, char *ret_error, size_t error_size);
void bailey_reading_free(struct bailey_reading *reading);

struct bailey_shell {
        const char *id;
        enum bailey_status status;
        int ended; /* not 0: `exit_code` counts */
        int exit_code;
        const char *started; /* as of a reading, this and the next one */
        long long duration_ms;
        struct bailey_text command;
        const char *description;                 /* as of a reading */
        unsigned long long out_bytes, err_bytes; /* that it has written */
};

struct bailey_shell_list {
        const struct bailey_shell *items; /* the oldest first */
        size_t count;
        void *memory;
};

/* The present background commands. Returns -1 if there is not enough memory. */
int bailey_shells(struct bailey_session *session, struct bailey_shell_list *ret);
void bailey_shell_list_free(struct bailey_shell_list *list);

/* A connection or a name that was refused. */
struct bailey_refusal {
        const char *when; /* as `started` of a reading */
        const char *host; /* as of struct bailey_traffic_host, this and the next ones */
        int port;
        const char *verdict, *message;
};

/* The network of the commands of a session. */
struct bailey_network_state {
        const char *kind;         /* sandbox.network.kind: "deny", ... */
        const char *capture;      /* how connections are intercepted: "tproxy", or "ports"; NULL: not yet known */
        const char *const *hosts; /* the present sandbox.network.hosts, if they apply */
        size_t host_count;
        unsigned long long open;               /* connections through the gateway */
        const struct bailey_refusal *refusals; /* the last ones, the oldest first */
        size_t refusal_count;
        void *memory;
};

/* As it is now. Waits a moment for the gateway. Returns -1 without memory. */
int bailey_session_network(struct bailey_session *session, struct bailey_network_state *ret);
void bailey_network_state_free(struct bailey_network_state *state);

/* ---- control of sessions ---- */

/* Returns the ID of the session in its audit records. */
const char *bailey_session_id(const struct bailey_session *session);

/* Returns its present policy, which is valid until the policy is changed. */
const struct bailey_policy *bailey_session_policy(const struct bailey_session *session);

/* Lets its user inspect and change the session, through a socket that commands cannot reach. */
int bailey_session_listen(struct bailey_session *session, char *ret_error, size_t error_size);

enum bailey_change {
        BAILEY_ALLOW_DOMAIN, /* "example.org", "*.example.org"; where only some hosts can be reached, also "example.org:8443" */
        BAILEY_DENY_COMMAND, /* "docker", "git push"; also "example.org", as a host and as a program; "example.org:8443" is
                                taken out of the list of hosts */
};

/* Changes the policy of a session for commands that start from now on. The change is logged, and ends with the session. */
int bailey_session_change(struct bailey_session *session, enum bailey_change change, const char *subject, char *ret_error,
                          size_t error_size);

/* A value of a list in the config. */
struct bailey_changed_item {
        const char *key; /* "guard.domain_allowlist" */
        const char *value;
        int removed; /* 0: it was added */
};

struct bailey_changed {
        char session[BAILEY_ID_SIZE]; /* its id */
        const struct bailey_changed_item *items;
        size_t count;       /* 0: nothing had to be changed */
        const char *notice; /* why it has no effect; NULL: it has */
        void *memory;
};

/* The same in another process: in the session whose ID has this prefix, or with NULL, in the only session. */
int bailey_sessions_change(const char *const *environment, const char *session, enum bailey_change change, const char *subject,
                           struct bailey_changed *ret, char *ret_error, size_t error_size);
void bailey_changed_free(struct bailey_changed *changed);

/* Ends a background command of any session. */
int bailey_sessions_kill(const char *const *environment, const char *id, char *ret_error, size_t error_size);

/* Every session of this user, with its changes and its background commands. */
int bailey_sessions(const char *const *environment, enum bailey_answer answer, char **ret_text, size_t *ret_length,
                    char *ret_error, size_t error_size);

/* A summary of the policy, the sessions, and recently refused commands. */
int bailey_status(const struct bailey_policy *policy, const char *const *environment, enum bailey_answer answer,
                  char **ret_text, size_t *ret_length, char *ret_error, size_t error_size);

/* The hosts that commands may name under the policy, and the changes of each session. */
int bailey_allowed(const struct bailey_policy *policy, const char *const *environment, enum bailey_answer answer,
                   char **ret_text, size_t *ret_length, char *ret_error, size_t error_size);

/* The same change in the user's config file, for all sessions to come. `ret_path` is that file. Returns 1 when that changed
 * something, 0 when it was so already. */
int bailey_config_change(const char *const *environment, enum bailey_change change, const char *subject, char **ret_path,
                         char *ret_error, size_t error_size);

/* For whoever starts the program again, a wrapper inside or the library as the network gateway: never returns when it succeeds.
 */
int bailey_run_inside(char *ret_error, size_t error_size);

/* ---- sandboxes ---- */

/* A restriction that a sandbox can enforce. */
struct bailey_capability {
        const char *name; /* "writes" */
        const char *text; /* description for people */
        int enforced;
        int needed; /* by the policy */
};

struct bailey_backend_limit {
        const char *name; /* "memory", "pids", "cpus" */
        const char *text; /* the same, for people */
        enum bailey_limit_state state;
        const char *how; /* "by a cgroup" */
};

struct bailey_backend {
        const char *name, *summary;
        int works;                                 /* a test command ran in it */
        int enforces_policy;                       /* and it enforces all that the policy requires */
        int sandboxes;                             /* 0: the backend that confines nothing */
        int keeps_tmp;                             /* the commands of a session share /tmp */
        const char *why;                           /* why it does not work; "" if it does */
        const char *notice;                        /* a peculiarity on this host; NULL: none */
        const char *remedy;                        /* how to enable it if it does not work */
        const char *verified;                      /* how it was verified */
        const char *promise;                       /* how it enforces limits in general, for people */
        const struct bailey_backend_limit *limits; /* how it enforces them here, if it works */
        size_t limit_count;
        const struct bailey_capability *capabilities;
        size_t capability_count;
};

struct bailey_backends {
        const struct bailey_backend *items;
        size_t count;
        const struct bailey_backend *chosen; /* the one for commands; NULL: none enforces the policy, so none can run */
        int landlock;                        /* the version of the kernel's; 0: none */
        const char *problem;                 /* why the host could not be examined; NULL: it could */
        void *memory;
};

/* Tests all backends. Returns 1 if the policy can be enforced, 0 if not; -1 if there is not enough memory. */
int bailey_doctor(const struct bailey_policy *policy, const char *const *environment, struct bailey_backends *ret);
void bailey_backends_free(struct bailey_backends *found);

/* ---- containers ---- */

struct bailey_runtime {
        const char *name;           /* "podman", "docker", "gvisor" */
        const char *why;            /* why it is not available; NULL: it is */
        const char *path, *version; /* of the engine's client, this and the next ones; NULL where it is not available */
        int rootless;
        const struct bailey_limit *limits; /* whether the engine enforces them */
        size_t limit_count;
        int has_image; /* 1: it has the policy's image; 0: it does not; -1: unknown */
};

/* A value of the policy. */
struct bailey_setting {
        const char *section, *name; /* "container.resource_limits", "memory" */
        const char *toml, *json;    /* the value, as config files of the two languages have it */
};

struct bailey_containers {
        const struct bailey_runtime *runtimes;
        size_t runtime_count;

        /* with a policy */
        int of_policy;
        const char *wanted;        /* the runtime, or "auto"; NULL: commands do not run in containers */
        const char *used;          /* the runtime that commands run in; NULL: none */
        const char *image_problem; /* why the image cannot be used; NULL: it can */
        const struct bailey_setting *settings;
        size_t setting_count;
        void *memory;
};

/* Finds container runtimes: podman, docker, gvisor. Waits a few seconds at most for each. Returns 1 if one is available, 0 if
 * none is; -1 if there is not enough memory. */
int bailey_container_detect(const char *const *environment, struct bailey_containers *ret);

/* The same, with the policy's [container], and the runtime that commands would use. Returns 0 if containers are configured and
 * cannot be used, 1 otherwise. */
int bailey_container_status(const struct bailey_policy *policy, const char *const *environment, struct bailey_containers *ret);
void bailey_containers_free(struct bailey_containers *containers);

/* Every pointer may be NULL. */
struct bailey_container_order {
        const char *runtime; /* "podman", "docker", "gvisor"; NULL: the one that commands run in, or the first that answers */
        const char *image;   /* NULL: the policy's; of an image that is made, localhost/bailey:latest */
        const char *tarball; /* of a root file system, to make the image of; NULL: of programs that this host has */
        int progress_fd;     /* for progress messages of the engine */
};

struct bailey_image {
        const char *engine; /* that has it: "podman", "docker" */
        char *name;         /* in full; for bailey_free() */
};

/* Gets an image from its registry, if that is trusted. Errors as with bailey_policy_load(), here and below. */
int bailey_container_pull(const struct bailey_policy *policy, const char *const *environment,
                          const struct bailey_container_order *order, struct bailey_image *ret, char *ret_error,
                          size_t error_size);

/* Builds an image, without a registry. */
int bailey_container_build(const struct bailey_policy *policy, const char *const *environment,
                           const struct bailey_container_order *order, struct bailey_image *ret, char *ret_error,
                           size_t error_size);

/* ---- files that were set aside ---- */

/*
 * A file that a command may have created at a protected path, where a program on the host would run it later, is not deleted:
 * it is moved out of the workspace, and kept until its user restores or drops it.
 */
struct bailey_aside {
        const char *id;        /* a unique prefix of it is accepted as an argument */
        const char *path;      /* original path; "" if it is no longer known */
        const char *workspace; /* of the command */
        const char *why;       /* part of a sentence: "new at a protected place while a command ran" */
        const char *kind;      /* "file", "directory", "link", "other" */
        const char *where;     /* its present path; NULL: it no longer exists */
        const char *note;      /* a note on how it is kept; "" for none */
        const char *time;      /* "2026-11-16T04:30:00.000Z" */
};

struct bailey_aside_items {
        const struct bailey_aside *items; /* the newest first */
        size_t count;
        void *memory;
};

/* Lists all of them. Errors as with bailey_policy_load(), here and below. */
int bailey_aside_list(const char *const *environment, struct bailey_aside_items *ret, char *ret_error, size_t error_size);
void bailey_aside_items_free(struct bailey_aside_items *items);

struct bailey_aside_done {
        struct bailey_aside aside; /* as it was kept */
        const char *replaced;      /* the ID of the file at its path, which is set aside now; NULL: there was none */
        int running;               /* not 0: a command runs in the workspace, after which it may be set aside again */
        int recorded;              /* not 0: it is in the audit log of the policy */
        void *memory;
};

/* Restores it to its original path. Creates missing directories, and follows no symbolic links. An existing file there is an
 * error, or is set aside if `force` is not 0. The policy determines the audit log; NULL: none. */
int bailey_aside_restore(const struct bailey_policy *policy, const char *const *environment, const char *id, int force,
                         struct bailey_aside_done *ret, char *ret_error, size_t error_size);

/* Deletes it permanently. */
int bailey_aside_drop(const struct bailey_policy *policy, const char *const *environment, const char *id,
                      struct bailey_aside_done *ret, char *ret_error, size_t error_size);
void bailey_aside_done_free(struct bailey_aside_done *done);

/* ---- sessions of bailey_run() ---- */

/* The /tmp that commands with a `session` share. A background process keeps it until no command has used it for
 * run.session_idle. */
struct bailey_tmp {
        const char *name;
        const char *workspace;
        unsigned commands; /* that are running */
};

struct bailey_tmps {
        const struct bailey_tmp *items; /* in no order */
        size_t count;
        void *memory;
};

/* Lists those of the user, at most 256. Errors as with bailey_policy_load(), here and below. */
int bailey_tmp_list(const char *const *environment, struct bailey_tmps *ret, char *ret_error, size_t error_size);
void bailey_tmps_free(struct bailey_tmps *tmps);

/* Ends one, and removes its files; commands that are running keep them until they end. `workspace` NULL: the current
 * directory. */
int bailey_tmp_end(const char *const *environment, const char *workspace, const char *name, char *ret_error, size_t error_size);

/* ---- stages ---- */

/* Changes of a workspace by commands with a `stage`, which can be applied or discarded. */
struct bailey_stage {
        const char *name;                           /* if it cannot be read: an id, with which nothing can be done */
        const char *workspace;                      /* NULL: it cannot be read; `problem` says why */
        const char *begun;                          /* "2026-11-16T04:30:00.000Z"; NULL likewise */
        const char *discarded;                      /* when it was discarded; NULL: it was not. Kept for 7 days */
        unsigned long long changed, added, deleted; /* files */
        unsigned long long bytes;                   /* of new content */
        int busy;                                   /* not 0: commands are running in it */
        const char *problem;                        /* why it could not be examined; NULL: it was */
};

struct bailey_stages {
        const struct bailey_stage *items; /* in no order */
        size_t count;
        void *memory;
};

/* Lists those of the user, in all workspaces. Errors as with bailey_policy_load(), here and below. */
int bailey_stage_list(const char *const *environment, struct bailey_stages *ret, char *ret_error, size_t error_size);
void bailey_stages_free(struct bailey_stages *stages);

struct bailey_stage_request {
        const struct bailey_policy *policy; /* whose audit log is used; NULL: none */
        const char *const *environment;     /* where bailey's own directory is */
        const char *workspace;              /* NULL: the current directory */
        const char *name;                   /* NULL: "default" */
        const char *const *paths;           /* only these, and what is in them, NULL-terminated; relative to the workspace, or
                                               absolute; NULL: all */
        int texts;                          /* not 0: include the lines that differ */
};

enum bailey_stage_kind {
        BAILEY_STAGE_DELETED,
        BAILEY_STAGE_CHANGED,
        BAILEY_STAGE_ADDED,
};

struct bailey_stage_change {
        const char *path; /* in the workspace; any bytes */
        enum bailey_stage_kind kind;
        const char *type; /* of what is there then, or of what is deleted: "file", "directory", "link",
                             "other" */
        unsigned long long before_bytes, after_bytes;
        int same_content;                              /* not 0: only mode, times or attributes differ */
        unsigned before_mode, after_mode;              /* permissions; 0: there is none */
        int binary;                                    /* not 0: its lines are not compared; also if it is very large */
        unsigned long long added_lines, removed_lines; /* 0 without texts */
        const char *text;                              /* hunks as of `diff -u`; NULL: none, or not asked for */
        size_t text_length;
        const char *conflict;     /* how it changed in the workspace since it was staged; NULL: not at all */
        const char *protected_by; /* why it is only applied on request; NULL: it is applied */
};

struct bailey_stage_changes {
        const char *name, *workspace;
        const struct bailey_stage_change *items; /* deletions first, then by path */
        size_t count;
        unsigned long long changed, added, deleted;
        const char *digest; /* of all that is staged: see bailey_stage_apply() */
        void *memory;
};

/* Lists the changes in a stage. */
int bailey_stage_diff(const struct bailey_stage_request *request, struct bailey_stage_changes *ret, char *ret_error,
                      size_t error_size);
void bailey_stage_changes_free(struct bailey_stage_changes *changes);

/* Discards a stage, which is kept for 7 days; meanwhile, the last one of a name can be restored. Returns 1 if that was done,
 * but could not be written to the audit log. */
int bailey_stage_discard(const struct bailey_stage_request *request, char *ret_error, size_t error_size);
int bailey_stage_take_back(const struct bailey_stage_request *request, char *ret_error, size_t error_size);

struct bailey_stage_choice {
        int force;          /* not 0: also what has changed in the workspace since it was staged, or since it was applied */
        int with_protected; /* not 0: also protected files */
        const char *digest; /* of bailey_stage_diff(): fails if the staged changes differ; NULL: not checked */
};

struct bailey_stage_applied {
        const char *id;                             /* for bailey_stage_undo(); NULL: nothing was applied */
        unsigned long long changed, added, deleted; /* files */
        const struct bailey_stage_change *left;     /* that were chosen, and not applied; with their reasons */
        size_t left_count;
        int refused;                /* not 0: nothing was applied, because of conflicts, which are in `left` */
        int recorded;               /* not 0: it is in the audit log */
        int empty;                  /* not 0: nothing is left in the stage, which has ended */
        const char *const *notices; /* what was set aside after all, NULL-terminated */
        void *memory;
};

/* Writes what is staged to the workspace: all that is chosen, or nothing. If it is interrupted, the next call, or the next
 * command in a stage, completes it. What was replaced is kept for 7 days, and up to 4 GiB. */
int bailey_stage_apply(const struct bailey_stage_request *request, const struct bailey_stage_choice *choice,
                       struct bailey_stage_applied *ret, char *ret_error, size_t error_size);
void bailey_stage_applied_free(struct bailey_stage_applied *applied);

struct bailey_stage_undoable {
        const char *id;
        const char *name, *workspace;
        const char *applied;      /* when */
        unsigned long long bytes; /* of what is kept */
        int undone;               /* not 0: it was */
};

struct bailey_stage_undoables {
        const struct bailey_stage_undoable *items; /* the newest first */
        size_t count;
        void *memory;
};

int bailey_stage_undoables(const char *const *environment, struct bailey_stage_undoables *ret, char *ret_error,
                           size_t error_size);
void bailey_stage_undoables_free(struct bailey_stage_undoables *undoables);

/* Takes back what was applied. `id` NULL: the last in the workspace of the request, of which name and paths mean nothing here.
 * What has changed since is an error, unless `force`: then it is kept, in STATE/undo/ID/old. Returns as bailey_stage_discard().
 */
int bailey_stage_undo(const struct bailey_stage_request *request, const char *id, int force, char *ret_error,
                      size_t error_size);

/* ---- homes of workspaces ---- */

enum bailey_presence {
        BAILEY_GONE,
        BAILEY_PRESENT,
        BAILEY_UNKNOWN, /* it cannot be told */
};

/*
 * With sandbox.home = "own", commands of a workspace have a home directory of their own, which is kept. It holds what they
 * wrote there, and copies of some settings; nothing else of it is the user's.
 */
struct bailey_home {
        const char *workspace;         /* NULL: not known */
        const char *home;              /* the home directory that it stands for; NULL: not known */
        const char *path;              /* where it is kept */
        enum bailey_presence presence; /* of the workspace */
        int in_use;                    /* not 0: a command of the workspace is running */
        const char *last_used;         /* "2026-11-16T04:30:00.000Z", to some minutes */
        unsigned long long bytes;      /* on the disk */
        unsigned long long entries;    /* files, directories, links */
        int complete;                  /* 0: it is more, as not everything could be measured, or not in time */
        const char *problem;           /* bailey_home_clear(): why it is still there; NULL: it is removed */
};

struct bailey_homes {
        const struct bailey_home *items; /* the last used first */
        size_t count;
        const char *directory;         /* they are kept in; NULL: there is no home directory */
        unsigned long long most_bytes; /* that one may take; 0: no limit */
        const char *problem; /* bailey_home_clear(): what is left of an earlier one cannot be removed; NULL: nothing is */
        int recorded;        /* bailey_home_clear(): not 0: all of it is in the policy's record */
        void *memory;
};

enum bailey_home_choice {
        BAILEY_HOME_ONE,   /* of a workspace */
        BAILEY_HOME_STALE, /* those whose workspace is gone */
        BAILEY_HOME_ALL,
};

/* Those that are kept, and how large they are: measured for at most `measure_ms` milliseconds in all, 0: as long as it takes;
 * the rest as it was last known. Of BAILEY_HOME_ONE, `workspace` is a directory that need not be there any more; NULL: the
 * policy's. There may be none, which is not an error. Errors as with bailey_policy_load(), here and below. */
int bailey_home_list(const struct bailey_policy *policy, const char *const *environment, enum bailey_home_choice choice,
                     const char *workspace, long long measure_ms, struct bailey_homes *ret, char *ret_error, size_t error_size);

/* Removes them. One that a command is using stays, and its `problem` says so. */
int bailey_home_clear(const struct bailey_policy *policy, const char *const *environment, enum bailey_home_choice choice,
                      const char *workspace, struct bailey_homes *ret, char *ret_error, size_t error_size);
void bailey_homes_free(struct bailey_homes *homes);

enum bailey_home_change_kind {
        BAILEY_HOME_ADDED,
        BAILEY_HOME_CHANGED, /* the user's home has it, too, and commands saw that before */
        BAILEY_HOME_DELETED, /* the same, and they no longer see it */
};

struct bailey_home_change {
        struct bailey_text path; /* in the home directory; commands have chosen it */
        enum bailey_home_change_kind kind;
        const char *type; /* "file", "directory", "link", "other"; NULL: it is deleted */
        int settings;     /* not 0: bailey copies the user's file, or would if there were one */
        int unreadable;   /* not 0: a directory that could not be listed */
        unsigned long long bytes;
};

struct bailey_home_changes {
        const struct bailey_home_change *items; /* by path */
        size_t count;
        unsigned long long left_out, left_out_bytes; /* beside these */
        int complete;                                /* 0: there may be more */
        int in_use; /* not 0: what a running command writes in directories of the user's home is not among them yet */
        int kept;   /* 0: no home is kept for the workspace */
        const char *workspace;
        void *memory;
};

/* What commands of a workspace wrote in their home: at most `limit` items, settings and deletions before others, and large
 * files before small ones. Empty directories are not told. */
int bailey_home_diff(const struct bailey_policy *policy, const char *const *environment, const char *workspace, size_t limit,
                     struct bailey_home_changes *ret, char *ret_error, size_t error_size);
void bailey_home_changes_free(struct bailey_home_changes *changes);

/* ---- the record ---- */

enum bailey_audit_format {
        BAILEY_AUDIT_LINES,   /* a line per command, for people. An intent is shown where no end is on record */
        BAILEY_AUDIT_DETAILS, /* a line per field, an empty line behind each record */
        BAILEY_AUDIT_JSON,    /* as they stand in the file */
        BAILEY_AUDIT_CSV,
};

/* Of NULL: any. */
struct bailey_audit_query {
        const char *kind;          /* "refused", "tested", ...: SECURITY.md, The audit log */
        const char *action;        /* "allowed", "warned", "blocked" */
        const char *rule;          /* that gave a reason */
        const char *session;       /* of a process */
        const char *id;            /* of a command; 8 characters or more of it do */
        const char *since, *until; /* "2026-11-16", "2026-11-16T04:30Z", "15m", "2d"; until is not included */
        size_t newest;             /* only that many; 0: all */
        enum bailey_audit_format format;
};

struct bailey_audit_reader;

/* What stopped a command, and what would allow it. */
struct bailey_why_finding {
        const char *layer;   /* "guard", "mounts", "hidden path", "network", "limit", "system calls" */
        const char *kind;    /* "outside"; of the guard, the rule */
        const char *subject; /* the path, host, program or limit; "": none */
        const char *text;    /* what happened */
        const char
                *setting; /* a line of a config file: "sandbox.fs_write_allow = [\"/etc/x\"]", or what to change; NULL: none */
        const char *option;  /* of bailey run, for this command only: "--write /etc/x"; NULL: none */
        const char *opens;   /* what the setting allows */
        const char *program; /* that asked for it, by the name that it gives itself; NULL: not known */
};

struct bailey_why {
        const char *id, *time; /* of the record */
        struct bailey_text command;
        const char *cwd, *policy, *backend; /* NULL: not known */
        const char *action;                 /* "allowed", "warned", "blocked" */
        const char *end;                    /* "exit status 1", "blocked by the guard", "timed out" */
        const char *message;                /* of a command that could not be started; NULL: none */
        int output_known;                   /* it was looked at, and not only passed on, as bailey run does at a terminal */
        const char *const *effects;         /* "write /etc/x", as the guard reads the command now; NULL-terminated */
        const struct bailey_why_finding *findings;
        size_t finding_count; /* 0: nothing says that bailey stopped it */
        void *memory;
};

/* Explains the newest command that was blocked or failed, or the one with this ID (8 characters of it do). Returns 1; 0 when
 * there is none, or its end is not on record. Fails if the policy has no audit log. */
int bailey_why(const struct bailey_policy *policy, const char *id, struct bailey_why *ret, char *ret_error, size_t error_size);
void bailey_why_free(struct bailey_why *why);

/* Reads the record of the policy, all files of it, the oldest first. No file is no error. Errors as with
 * bailey_policy_load(), here and below. */
int bailey_audit_open(const struct bailey_policy *policy, const struct bailey_audit_query *query,
                      struct bailey_audit_reader **ret, char *ret_error, size_t error_size);
void bailey_audit_close(struct bailey_audit_reader *reader);

/* Returns 1 and the next record, which is valid until the next call; 0 when there is none now: later there may be. */
int bailey_audit_next(struct bailey_audit_reader *reader, const char **ret_text, size_t *ret_length, char *ret_error,
                      size_t error_size);

enum bailey_audit_group {
        BAILEY_AUDIT_BY_KIND, /* all records; the other groups count commands */
        BAILEY_AUDIT_BY_ACTION,
        BAILEY_AUDIT_BY_RULE,
        BAILEY_AUDIT_BY_BACKEND,
        BAILEY_AUDIT_BY_END,  /* "exit 0", "timed out" */
        BAILEY_AUDIT_BY_HOUR, /* "2026-11-16T04" */
};

struct bailey_audit_count {
        enum bailey_audit_group group;
        const char *name; /* from the file, and so it may hold anything */
        unsigned long long count;
};

struct bailey_audit_stats {
        unsigned long long commands;
        const char *first, *last;               /* times of records; "": there are none */
        const struct bailey_audit_count *items; /* group by group, the most frequent first */
        size_t count;
        void *memory;
};

/* How many commands by verdict, rule, sandbox, end and hour. */
int bailey_audit_stats(const struct bailey_policy *policy, const struct bailey_audit_query *query,
                       struct bailey_audit_stats *ret, char *ret_error, size_t error_size);
void bailey_audit_stats_free(struct bailey_audit_stats *stats);

/*
 * The record as a page for a browser: one HTML file that loads nothing and runs no script but its own, whatever the records
 * hold. Sums are of all records that the query asks for; the table has the newest of them (query->newest; 0: 10,000).
 */
int bailey_audit_report(const struct bailey_policy *policy, const struct bailey_audit_query *query, char **ret_text,
                        size_t *ret_length, char *ret_error, size_t error_size);

/* The same for somebody who serves it, and goes on reading. */
struct bailey_audit_page;

int bailey_audit_page_open(const struct bailey_policy *policy, const struct bailey_audit_query *query,
                           struct bailey_audit_page **ret, char *ret_error, size_t error_size);
void bailey_audit_page_close(struct bailey_audit_page *page);

/* Takes in what is there, some thousand records at most. Returns 1 when there may be more, 0 when there is none now. */
int bailey_audit_page_read(struct bailey_audit_page *page, char *ret_error, size_t error_size);

/* The page. It asks data?after=NUMBER, beside itself, for what is new: */
int bailey_audit_page_html(struct bailey_audit_page *page, char **ret_text, size_t *ret_length);

/* What was taken in after the record NUMBER, as JSON; `problem` (NULL: none) is shown to whoever looks at the page. */
int bailey_audit_page_data(struct bailey_audit_page *page, unsigned long long after, const char *problem, char **ret_text,
                           size_t *ret_length);

struct bailey_audit_check {
        unsigned long long records;
        unsigned long long repairs; /* records that a killed writer left incomplete, and that the next one closed */
        size_t files;
        int from_start;          /* not 0: the first record of all is there; else it was rotated away */
        const char *last;        /* the hash of the last record */
        const char *path;        /* of the newest file */
        const char *problem;     /* with the first record that is broken; NULL: none is */
        const char *file;        /* where that record is; NULL: none is broken */
        const char *id;          /* of that record; "" when it cannot be read */
        unsigned long long line; /* of that record; of one that is incomplete, in the newest file */
        int torn;                /* not 0: the last record is incomplete, and the next writer will close it */
        unsigned long long torn_bytes;
        void *memory;
};

/* Returns 1 when the chain of records is whole, 0 when not. */
int bailey_audit_verify(const struct bailey_policy *policy, struct bailey_audit_check *ret, char *ret_error, size_t error_size);
void bailey_audit_check_free(struct bailey_audit_check *check);

/* The newest records of this policy that are still in memory, as a JSON array. */
int bailey_audit_recent(const struct bailey_policy *policy, size_t count, char **ret_text, size_t *ret_length);

/* Frees what this library handed out. NULL is fine. */
void bailey_free(void *pointer);

/* "1.2.3" */
const char *bailey_version(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
