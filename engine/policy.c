#include "engine/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "include/bailey.h"
#include "policy/load.h"

int bailey_policy_load(const struct bailey_policy_options *options, struct bailey_policy **ret, char *ret_error,
                       size_t error_size) {
        struct policy_request request = {
                .name = options->policy,
                .workspace = options->workspace,
                .config_file = options->config,
                .overrides = options->overrides,
                .environment = options->environment,
        };
        struct bailey_policy *policy = calloc(1, sizeof(*policy));
        struct err err = { 0 };

        if (!policy) {
                snprintf(ret_error, error_size, "out of memory");
                return -1;
        }
        arena_init(&policy->arena, 0);
        if (policy_load(&request, &policy->arena, &policy->policy, &err) < 0) {
                snprintf(ret_error, error_size, "%s", err.msg);
                bailey_policy_free(policy);
                return -1;
        }
        *ret = policy;
        return 0;
}

void bailey_policy_free(struct bailey_policy *policy) {
        if (policy)
                arena_free(&policy->arena);
        free(policy);
}
