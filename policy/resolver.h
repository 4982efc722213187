/*
 * The parts of policy_resolve(), for each other: resolve.c (the order), apply.c (one value), tighten.c (a workspace that
 * is not trusted).
 */
#ifndef BAILEY_POLICY_RESOLVER_H
#define BAILEY_POLICY_RESOLVER_H

#include "policy/resolve.h"

struct resolver {
        const struct config *configs;
        size_t count;
        struct arena *arena;
        struct err *err;
        struct policy *policy;
        struct value_origin *origins;       /* by key */
        struct str chain[POLICY_CHAIN_MAX]; /* the chosen policy, the one it extends, ... */
        size_t chain_count;
        enum network_kind network_before; /* a config that is not trusted */
        bool network_tightened;           /* by that */
};

/* Puts a value into the policy. `config` says where it is from. */
int setting_apply(struct resolver *r, const struct config *config, const struct setting *setting);

/* The same with all values of that name ("" for the general sections). */
int settings_apply(struct resolver *r, const struct config *config, struct str policy);

/* What of a config that is not trusted makes the policy tighter; and a notice that says so. */
int config_tighten(struct resolver *r, const struct config *config);

/* Who says it, and where. */
struct policy_origin origin_of(const struct config *config, const struct setting *setting, struct tree_pos at);

/* "FILE:LINE:COLUMN: message"; returns -1. */
int origin_fail(const struct policy_origin *origin, struct err *err, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

#endif
