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

/* Frees what this library handed out. NULL is fine. */
void bailey_free(void *pointer);

/* "1.2.3" */
const char *bailey_version(void);

#ifdef __cplusplus
}
#endif

#endif
