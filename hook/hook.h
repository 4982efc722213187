/*
 * The answer to an agent that asks before it runs a command: nothing, no, ask the user, or run this instead.
 */
#ifndef BAILEY_HOOK_HOOK_H
#define BAILEY_HOOK_HOOK_H

#include "base/buf.h"
#include "base/err.h"

enum hook_mode {
        HOOK_DENY, /* blocked commands are refused, warned ones asked for */
        HOOK_WRAP, /* and all others run as `bailey run ...` */
};

/* What is done about a command that is warned of. */
enum hook_warned {
        HOOK_WARNED_DEFAULT, /* ask, where that works for sure; or else deny */
        HOOK_WARNED_ASK,     /* ask, where that works at all; or else deny */
        HOOK_WARNED_DENY,
        HOOK_WARNED_ALLOW,
};

extern const char *const hook_warned_names[]; /* NULL for the default; and behind the last one */

struct hook_options {
        const char *agent; /* NULL: as the question looks */
        enum hook_mode mode;
        enum hook_warned warned;
        bool approve;          /* with HOOK_WRAP: sandboxed commands need no consent */
        const char *program;   /* bailey, for commands that are wrapped */
        const char *workspace; /* the rest as in struct bailey_policy_options */
        const char *policy, *config;
        const char *const *overrides;
        const char *const *environment;
};

enum { HOOK_QUESTION_MAX = 8 << 20, HOOK_ANSWER_MAX = 64 << 20 };

/* `answer` is for the agent, `said` for the user, a line each. On failure the command must not run. */
int hook_answer(struct str question, const struct hook_options *options, struct buf *answer, struct buf *said, struct err *err);

#endif
