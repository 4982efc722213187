#include "engine/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "include/bailey.h"
#include "policy/load.h"

/* The variable is looked for in the environment of this program, which no command can reach. */
static bool bypass_asked(const struct guard_policy *guard, const char *const *environment) {
        struct str name = guard->bypass_env_var;

        for (; name.len && environment && *environment; environment++) {
                struct str entry = str_z(*environment);
                struct str value = str_skip(entry, name.len + 1);

                if (str_starts(entry, name) && entry.len > name.len && entry.ptr[name.len] == '=')
                        return str_is(value, "1") || str_eq_nocase(value, STR("true"));
        }
        return false;
}

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
        if (policy_load(&request, &policy->arena, &policy->policy, &err) < 0 ||
            audit_open(&policy->policy->audit, options->environment, &policy->audit, &err) < 0) {
                snprintf(ret_error, error_size, "%s", err.msg);
                bailey_policy_free(policy);
                return -1;
        }
        policy->bypassed = bypass_asked(&policy->policy->guard, options->environment);
        *ret = policy;
        return 0;
}

void bailey_policy_free(struct bailey_policy *policy) {
        if (!policy)
                return;
        audit_close(policy->audit);
        arena_free(&policy->arena);
        free(policy);
}
