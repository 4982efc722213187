/*
 * The guard: reads a command and says whether it may run, and why not. Pure: the same bytes and policy give the same
 * verdict. It explains; it is the sandbox that enforces.
 */
#ifndef BAILEY_GUARD_GUARD_H
#define BAILEY_GUARD_GUARD_H

#include "guard/effect.h"
#include "policy/policy.h"
#include "bash/eval/walk.h"
#include "bash/syntax/parse.h"

enum action {
        ACTION_ALLOWED,
        ACTION_WARNED,
        ACTION_BLOCKED,
};

struct rule;

struct reason {
        struct reason *next;
        const struct rule *rule; /* NULL for a user's pattern */
        struct str id;           /* the rule's, or the pattern's name */
        enum severity severity;
        struct range range;
        struct str message; /* what, and what to do instead: one or two sentences */
        const struct effect *effect;
};

/* A program that the command runs, and that needs the network. */
struct network_need {
        struct network_need *next;
        struct str program; /* "git clone"; empty for code of an interpreter */
        const char *codes;  /* its exit codes that mean: no network; NULL: none does */
        bool reaches;       /* it connects to another host, whatever it finds here, if it runs */
        bool connects;      /* and when the command fails silently, it has run */
        bool status;        /* when it fails, its exit status is that of the whole command */
};

struct verdict {
        enum action action;
        bool would_block;       /* the mode is warn: it would have been blocked */
        struct reason *reasons; /* the most severe first */
        struct effect *effects; /* in the order in which they would happen */
        struct script script;
        /* What a failure can be explained by: */
        struct network_need *needs; /* a bounded number, in the order in which they would run */
        bool local;                 /* some program talks to this host only */
        bool prints_only;           /* all programs only print; what they write is among the effects */
};

/* Returns -1 only without memory; the verdict then is ACTION_BLOCKED all the same. */
int guard_check(struct str command, const struct policy *policy, struct arena *arena, struct verdict *ret);

/* Where a command is to run. */
struct guard_place {
        struct str start; /* the directory that it starts in, an absolute path; empty: the workspace */
        struct str home;  /* its home directory if that is the sandbox's: no program outside runs what is written there, unless
                             the workspace is in it; empty: it is the user's */
        bool contained;   /* the policy's network is enforced around it, so that naming a host is no way to it */
        const struct walk_binding *variables; /* of its environment, as far as they are known */
        size_t variable_count;
};

int guard_check_at(struct str command, const struct guard_place *place, const struct policy *policy, struct arena *arena,
                   struct verdict *ret);

const char *action_name(enum action action);

#endif
