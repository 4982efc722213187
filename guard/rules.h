/*
 * The rules, one row each. A row names the effect it is about, the flags it asks for, how severe it is, and what to
 * say.
 */
#ifndef BAILEY_GUARD_RULES_H
#define BAILEY_GUARD_RULES_H

#include "guard/guard.h"

enum rule_scope {
        SCOPE_ALL,    /* every policy */
        SCOPE_LISTED, /* only policies that allow nothing but listed commands */
        SCOPE_OPEN,   /* only the others */
};

/* What a rule's `remedy` can name. */
enum rule_names {
        NAMES_NOTHING,
        NAMES_HOST,    /* the subject, if it is a plain host name */
        NAMES_ALLOWED, /* the commands that the policy allows */
};

struct rule { /* NOLINT(clang-analyzer-optin.performance.Padding): in the order in which rows are read */
        const char *id;
        enum effect_kind kind;
        uint32_t all, any; /* flags: all of these, and one of those if there are any */
        enum rule_scope scope;
        enum severity severity;
        const char *message; /* %s is the subject */
        const char *instead;
        const char *example;   /* a command it catches */
        enum rule_names names; /* what %s in `remedy` is */
        const char *remedy;    /* said in place of `instead` where that is known */
};

extern const struct rule rules[];
extern const size_t rule_count;

bool rule_applies(const struct rule *rule, const struct effect *effect, const struct guard_policy *policy);

#endif
