/*
 * Chooses the backends to try.
 */
#ifndef BAILEY_ENGINE_CHOOSE_H
#define BAILEY_ENGINE_CHOOSE_H

#include "policy/policy.h"
#include "sandbox/backend.h"

/* In this order, as the policy and the environment say. */
struct backend_choice {
        const struct backend *items[16];
        size_t count;
        bool forced;     /* one backend that was named */
        bool containers; /* all are of container engines */
};

/* Those of container engines, in the order in which they are tried where none is named. */
void choose_containers(struct backend_choice *ret);

int backend_choose(const struct policy *policy, const char *const *environment, struct backend_choice *ret, struct err *err);

#endif
