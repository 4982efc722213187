/*
 * The stages of one run, in order: verdict, what is known of the host, launch, run, sweep, explanation.
 */
#ifndef BAILEY_ENGINE_RUN_H
#define BAILEY_ENGINE_RUN_H

#include "engine/policy.h"
#include "include/bailey.h"
#include "sandbox/backend.h"

/* Which backends may be tried, in order, as the policy and the environment say. */
struct backend_choice {
        const struct backend *items[8];
        size_t count;
        bool forced;
};

int backend_choose(const struct policy *policy, const char *const *environment, struct backend_choice *ret, struct err *err);

#endif
