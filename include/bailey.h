/*
 * bailey: reads bash commands before they run.
 *
 * The library never prints, exits, or keeps global state. Texts are bytes with a length: they may hold NUL bytes and
 * need not be UTF-8. What a function hands out is freed with bailey_free(). Out parameters are left alone on failure
 * (-1).
 */
#ifndef BAILEY_H
#define BAILEY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bailey_format {
        BAILEY_TREE,     /* the tree, for people: a line per node */
        BAILEY_JSON,     /* the tree, for programs: every node with its place in the text */
        BAILEY_COMMANDS, /* {"ok", "error", "commands": [[word, ...], ...]}: every simple command, nested ones too */
        BAILEY_PRINT,    /* bash text that parses to the same tree, in one style */
        BAILEY_EXPANDED, /* each command it would run, in order, as JSON: words known, patterns, or unknown and why */
        BAILEY_ERROR,    /* what is wrong, for people: place and message, the line, a caret; empty when nothing is */
};

/*
 * Parses `text` as `bash -c` would, without running anything. The answer is followed by a NUL that is not counted.
 *
 * Returns 0 when bash would accept the text; 1 when it would not, or when the text is past a limit of this library, and
 * then the answer holds what was read before that place, and the error; -1 without memory, or when the answer would be
 * too large.
 */
int bailey_parse(const char *text, size_t length, enum bailey_format format, char **ret_text, size_t *ret_length);

/* ---- verdicts ---- */

struct bailey_policy;

/* Every pointer may be NULL. */
struct bailey_policy_options {
        const char *policy;             /* "default", "readonly", "build", or one that a config file defines */
        const char *workspace;          /* the directory that commands work in */
        const char *config;             /* a config file that counts besides the usual ones */
        const char *const *overrides;   /* "guard.mode=warn", NULL-terminated */
        const char *const *environment; /* where HOME and XDG_CONFIG_HOME stand, NULL-terminated; NULL: no files of a user */
};

/* Finds and reads the config files. On failure -1, and a message that says which file, where, and what is wrong. */
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

/*
 * Says what a command would do, and whether it may: {"action", "reasons": [{"rule", "severity", "message", "range"}],
 * "commands", "effects"}. Returns an enum bailey_action; -1 without memory, and then the command must not run.
 */
int bailey_check(const struct bailey_policy *policy, const char *text, size_t length, enum bailey_answer answer,
                 char **ret_text, size_t *ret_length);

/* Every rule, with an example. */
int bailey_rules(enum bailey_answer answer, char **ret_text, size_t *ret_length);

/* ---- config files ---- */

/* What the user should be told, such as that a workspace's file is not trusted; NULL past the last one. */
const char *bailey_policy_notice(const struct bailey_policy *policy, size_t index);

/* Every value of the policy and where it came from. */
int bailey_config_show(const struct bailey_policy *policy, enum bailey_answer answer, char **ret_text, size_t *ret_length);

/* Is options->config, and each policy that it defines, right? Errors as with bailey_policy_load(), here and below. */
int bailey_config_check(const struct bailey_policy_options *options, char *ret_error, size_t error_size);

/* The JSON Schema of config files. */
int bailey_config_schema(char **ret_text, size_t *ret_length);

/* Writes the user's config file, in which everything is a comment, and says where. One that is there is kept, and that
 * is an error, unless `force` is not 0. */
int bailey_config_init(const char *const *environment, int force, char **ret_path, char *ret_error, size_t error_size);

/* Which variables of `environment` would reach a command, and why the others would not. Names only, no values. */
int bailey_env_show(const struct bailey_policy *policy, const char *const *environment, enum bailey_answer answer,
                    char **ret_text, size_t *ret_length);

/*
 * Trusts the config file of a directory, as it is now (`trust` not 0), or no longer. `ret_path` is the file's path.
 * Returns 1 when that changed something, 0 when it was so already.
 */
int bailey_trust(const char *const *environment, const char *directory, int trust, char **ret_path, char *ret_error,
                 size_t error_size);

/* All trusted files. */
int bailey_trust_list(const char *const *environment, enum bailey_answer answer, char **ret_text, size_t *ret_length,
                      char *ret_error, size_t error_size);

/* ---- running ---- */

struct bailey_run_options {
        const char *command;            /* bash text; or: */
        const char *const *argv;        /* a program and its arguments, NULL-terminated */
        const char *cwd;                /* in the workspace; NULL: the workspace itself */
        const char *const *environment; /* what the command's is taken from, NULL-terminated */
        long long timeout_ms;           /* 0: as the policy says; -1: none */
        int capture;                    /* not 0: keep the output, bounded; 0: it goes to out_fd and err_fd as it is */
        int out_fd, err_fd;
        int cancel_fd; /* when it becomes readable, the command is killed; -1: none */
        int status_fd; /* {"event":"started"...} and {"event":"exited"...}, a line each; -1: none */
        int force;     /* also in a workspace like / or the home directory */
        int plan_only; /* run nothing; the outcome's output is the launch that would be */
};

enum bailey_end {
        BAILEY_EXITED, /* by itself, or by a signal */
        BAILEY_TIMED_OUT,
        BAILEY_CANCELLED,
        BAILEY_REFUSED,   /* by the guard; nothing ran */
        BAILEY_NOT_FOUND, /* no such program */
        BAILEY_FAILED,    /* no sandbox, or something that was asked for is not right; nothing ran */
        BAILEY_PLANNED,   /* plan_only */
};

struct bailey_outcome {
        enum bailey_end end;
        int exit_code;           /* what a shell would say: the command's own, 128 + signal; 124, 125, 126, 127 */
        int signal;              /* that ended it; 0: none */
        const char *message;     /* what went wrong; NULL: nothing */
        const char *explanation; /* why it probably failed, and what to do; NULL: no evidence */
        const char *notices;     /* what else should be known, a line each; NULL: nothing */
        const char *backend;     /* NULL: nothing ran */
        const char *output;      /* UTF-8, with what was left out said; NULL: not captured */
        size_t output_length;
        unsigned long long output_bytes, elided_bytes;
        long long duration_ms;
        const char *json; /* all of it */
        size_t json_length;
        void *memory; /* of all these texts */
};

/* Judges, builds the walls, runs, and looks after what is left. Returns 0, also when nothing ran: see `end`; -1 without
 * memory. */
int bailey_run(const struct bailey_policy *policy, const struct bailey_run_options *options, struct bailey_outcome *ret);
void bailey_outcome_free(struct bailey_outcome *outcome);

/* For a wrapper that starts the program again, inside: never returns when it succeeds. */
int bailey_run_inside(char *ret_error, size_t error_size);

/* Which backends work here, what each of them enforces, and why not. Returns 1 when the policy can be enforced, 0 when
 * not. */
int bailey_doctor(const struct bailey_policy *policy, const char *const *environment, enum bailey_answer answer,
                  char **ret_text, size_t *ret_length);

/* ---- the record ---- */

enum bailey_audit_format {
        BAILEY_AUDIT_LINES,   /* a line per command, for people. An intent is shown where no end is on record */
        BAILEY_AUDIT_DETAILS, /* a line per field, an empty line behind each record */
        BAILEY_AUDIT_JSON,    /* as they stand in the file */
        BAILEY_AUDIT_CSV,
};

/* Of NULL: any. */
struct bailey_audit_query {
        const char *action;        /* "allowed", "warned", "blocked" */
        const char *rule;          /* that gave a reason */
        const char *session;       /* of a process */
        const char *id;            /* of a command; 8 characters or more of it do */
        const char *since, *until; /* "2026-11-16", "2026-11-16T04:30Z", "15m", "2d"; until is not included */
        size_t newest;             /* only that many; 0: all */
        enum bailey_audit_format format;
};

struct bailey_audit_reader;

/* Reads the record of the policy, all files of it, the oldest first. No file is no error. Errors as with
 * bailey_policy_load(), here and below. */
int bailey_audit_open(const struct bailey_policy *policy, const struct bailey_audit_query *query,
                      struct bailey_audit_reader **ret, char *ret_error, size_t error_size);
void bailey_audit_close(struct bailey_audit_reader *reader);

/* Returns 1 and the next record, which is valid until the next call; 0 when there is none now: later there may be. */
int bailey_audit_next(struct bailey_audit_reader *reader, const char **ret_text, size_t *ret_length, char *ret_error,
                      size_t error_size);

/* How many commands by verdict, rule, sandbox, end and hour. */
int bailey_audit_stats(const struct bailey_policy *policy, const struct bailey_audit_query *query, enum bailey_answer answer,
                       char **ret_text, size_t *ret_length, char *ret_error, size_t error_size);

/* Returns 1 when the chain of records is whole, 0 when not, and then the answer names the first that is broken. */
int bailey_audit_verify(const struct bailey_policy *policy, enum bailey_answer answer, char **ret_text, size_t *ret_length,
                        char *ret_error, size_t error_size);

/* The newest records of this policy that are still in memory, as a JSON array. */
int bailey_audit_recent(const struct bailey_policy *policy, size_t count, char **ret_text, size_t *ret_length);

/* Frees what this library handed out. NULL is fine. */
void bailey_free(void *pointer);

/* "1.2.3" */
const char *bailey_version(void);

#ifdef __cplusplus
}
#endif

#endif
