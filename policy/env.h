/*
 * Which environment variables reach a command. The built-in table (env_table.c) holds three kinds of names: those that
 * pass, those that look like secrets, and those that make a program run code. Everything else is dropped unless the
 * policy lists it. Pure: the environment is the caller's.
 *
 * In this order, the first that applies:
 *   [env] set            the value of the config file, whatever the name
 *   [env] pass_secret    named exactly: passes
 *   looks like a secret  dropped, also when [env] pass lists it
 *   runs code            dropped, also when [env] pass lists it
 *   built-in, [env] pass passes
 *   the rest             dropped
 *
 * What passes and names a proxy (http_proxy, ...) is dropped, too, if only some hosts can be reached.
 */
#ifndef BAILEY_POLICY_ENV_H
#define BAILEY_POLICY_ENV_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "policy/policy.h"

/*
 * Variables for commands without a network. Package managers try again for up to a minute before they report that there is
 * none: these settings make them fail at once, with the reason. What is in their caches, or on localhost, can be installed as
 * before.
 */

struct offline_row {
        const char *name, *value;
        const char *why; /* for the user: "no network: npm does not retry" */
};

extern const struct offline_row offline_rows[];
extern const size_t offline_count;

enum env_verdict {
        ENV_PASS,
        ENV_SET,
        ENV_SECRET, /* the rest is dropped */
        ENV_RUNS_CODE,
        ENV_UNLISTED,
        ENV_PROXY,   /* names a proxy, which the sandbox cannot reach and does not need */
        ENV_INVALID, /* not NAME=VALUE */
};

/* How the value of a variable becomes code, so that the guard can look at the value. */
enum env_code {
        ENV_CODE_NONE,
        ENV_CODE_FILE,    /* a file that is loaded or run: LD_PRELOAD, BASH_ENV */
        ENV_CODE_PATH,    /* where code or config is looked for: PYTHONPATH, GIT_DIR */
        ENV_CODE_COMMAND, /* a command line: GIT_SSH_COMMAND, PAGER */
        ENV_CODE_TEXT,    /* code or options itself: PROMPT_COMMAND, NODE_OPTIONS */
};

struct env_rule {
        const char *pattern;       /* one or two stars stand for any bytes */
        uint32_t letters;          /* a bit for each of its bytes, by its last five bits, at least of the first 16 of them */
        unsigned char first, last; /* of its bytes: nearly all rules are ruled out by these three */
        enum env_verdict verdict : 8;
        enum env_code code : 8;
        bool any_program; /* whatever program starts, not only the one that knows the name */
        const char *why;
};

extern const struct env_rule env_rules[];
extern const size_t env_rule_count;

/* The rule of the built-in table that decides, or NULL. Secrets: ASCII case does not matter; all others: exact. */
const struct env_rule *env_rule_find(struct str name);

/* For the guard: `echo $FOO_TOKEN`, `LD_PRELOAD=x ls`. */
bool env_is_secret(struct str name);
bool env_runs_code(struct str name);

/* `ret_rule` (may be NULL) is the built-in rule behind it, or NULL when the policy's lists or no rule decided. */
enum env_verdict env_judge(const struct env_policy *policy, struct str name, const struct env_rule **ret_rule);

/* "looks like a secret", ... */
const char *env_verdict_text(enum env_verdict verdict);

/* NAME of a "NAME=VALUE"; empty when it is none. */
struct str env_name(const char *entry);

/* A pattern of [env] pass: NAME or PREFIX*. */
bool env_pattern_valid(struct str pattern);
bool env_name_valid(struct str name);

/* The rows of offline_rows for which `environment` has no variable that passes, and the policy none that is set. `ret` has room
 * for offline_count of them. */
size_t env_offline(const struct env_policy *policy, const char *const *environment, const struct offline_row **ret);

/* The environment of a command, NULL-terminated: what passes, in order, then what is set; without a network (`offline`), also
 * what tells programs so. */
int env_filter(const struct env_policy *policy, bool offline, const char *const *environment, struct arena *arena,
               const char *const **ret, struct err *err);

#endif
