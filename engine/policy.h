/*
 * The definition of struct bailey_policy.
 */
#ifndef BAILEY_ENGINE_POLICY_H
#define BAILEY_ENGINE_POLICY_H

#include "audit/audit.h"
#include "base/arena.h"
#include "include/bailey.h"
#include "policy/policy.h"

struct bailey_policy {
        struct arena arena; /* holds the policy */
        const struct policy *policy;
        struct audit *audit;           /* of all that is done with this policy */
        struct cgroup_shared *shared;  /* for all commands together */
        struct containers *containers; /* engines, and what commands share of them */
        const char *program;           /* the path of bailey, for the sandbox that starts it inside */
        bool bypassed;                 /* the operator has switched the guard off for this process */
        const struct bailey_policy
                *before; /* the one that this was derived from, whose audit, containers and cgroup it has; NULL: none */
};

/* The same with more overrides (NULL-terminated); no file is read again. `base` has to outlive it. */
int policy_derive(const struct bailey_policy *base, const char *const *overrides, struct bailey_policy **ret, struct err *err);

/* The same for a run that keeps evidence: no network becomes a network without allowed hosts, where the gateway sees the names
 * that are asked for, and refuses them. */
int policy_derive_seen(const struct bailey_policy *base, struct bailey_policy **ret, struct err *err);

/* A copy of a NULL-terminated list; NULL without memory. */
const char *const *strings_copy(const char *const *strings, struct arena *arena);

#endif
