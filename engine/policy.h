/*
 * What a struct bailey_policy is.
 */
#ifndef BAILEY_ENGINE_POLICY_H
#define BAILEY_ENGINE_POLICY_H

#include "audit/audit.h"
#include "base/arena.h"
#include "policy/policy.h"

struct bailey_policy {
        struct arena arena; /* holds the policy */
        const struct policy *policy;
        struct audit *audit; /* of all that is done with this policy */
        bool bypassed;       /* the operator has switched the guard off for this process */
};

#endif
