/*
 * What a struct bailey_policy is.
 */
#ifndef BAILEY_ENGINE_POLICY_H
#define BAILEY_ENGINE_POLICY_H

#include "base/arena.h"
#include "policy/policy.h"

struct bailey_policy {
        struct arena arena; /* holds the policy */
        const struct policy *policy;
        bool bypassed; /* the operator has switched the guard off for this process */
};

#endif
