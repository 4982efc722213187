#include "engine/policy.h"

#include <stdlib.h>
#include <unistd.h>

#include "engine/config.h"
#include "engine/installed.h"
#include "engine/pipeline/containers.h"
#include "launch/cgroup_shared.h"
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

const char *const *strings_copy(const char *const *strings, struct arena *arena) {
        size_t count = 0;
        const char **copy;

        while (strings && strings[count])
                count++;
        copy = arena_alloc(arena, (count + 1) * sizeof(*copy));
        for (size_t i = 0; copy && i < count; i++)
                if (!(copy[i] = arena_dup(arena, str_z(strings[i]))))
                        return NULL;
        return copy;
}

static struct bailey_policy *policy_new(const char *program, struct err *err) {
        struct bailey_policy *policy = calloc(1, sizeof(*policy));

        if (policy) {
                arena_init(&policy->arena, 0);
                policy->program = arena_dup(&policy->arena, str_z(program));
        }
        if (policy && policy->program)
                return policy;
        bailey_policy_free(policy);
        err_memory(err);
        return NULL;
}

static int shared_new(struct bailey_policy *policy, struct err *err) {
        policy->shared = calloc(1, sizeof(*policy->shared));
        if (!policy->shared)
                return err_memory(err);
        cgroup_shared_init(policy->shared);
        return 0;
}

int bailey_policy_load(const struct bailey_policy_options *options, struct bailey_policy **ret, char *ret_error,
                       size_t error_size) {
        const struct policy_request request = {
                .name = options->policy,
                .workspace = options->workspace,
                .config_file = options->config,
                .overrides = options->overrides,
                .environment = options->environment,
        };
        struct err err = { 0 };
        struct bailey_policy *policy = policy_new(options->program ? options->program : installed_program, &err);

        if (!policy || policy_load(&request, &policy->arena, &policy->policy, &err) < 0 ||
            audit_open(&policy->policy->audit, options->environment, &policy->audit, &err) < 0 ||
            containers_new(&policy->containers, &err) < 0 || shared_new(policy, &err) < 0) {
                bailey_policy_free(policy);
                return config_hand_error(&err, ret_error, error_size);
        }
        policy->bypassed = bypass_asked(&policy->policy->guard, options->environment);
        *ret = policy;
        return 0;
}

int policy_derive(const struct bailey_policy *base, const char *const *overrides, struct bailey_policy **ret, struct err *err) {
        struct bailey_policy *policy = policy_new(base->program, err);

        if (!policy)
                return -1;
        policy->before = base;
        policy->audit = base->audit;
        policy->containers = base->containers;
        policy->shared = base->shared;
        policy->bypassed = base->bypassed;
        if (policy_override(base->policy, overrides, &policy->arena, &policy->policy, err) < 0) {
                bailey_policy_free(policy);
                return -1;
        }
        *ret = policy;
        return 0;
}

int policy_derive_seen(const struct bailey_policy *base, struct bailey_policy **ret, struct err *err) {
        struct bailey_policy *derived;
        struct policy *policy;

        if (policy_derive(base, (const char *const[]){ NULL }, &derived, err) < 0)
                return -1;
        policy = ARENA_NEW(&derived->arena, struct policy);
        if (!policy) {
                bailey_policy_free(derived);
                return err_memory(err);
        }
        *policy = *derived->policy;
        policy->sandbox.network = NETWORK_ALLOW_HOSTS;
        policy->sandbox.network_hosts = (struct str_list){};
        derived->policy = policy;
        *ret = derived;
        return 0;
}

void bailey_policy_free(struct bailey_policy *policy) {
        if (!policy)
                return;
        if (!policy->before) {
                containers_free(policy->containers);
                audit_close(policy->audit);
                if (policy->shared)
                        cgroup_shared_free(policy->shared);
                free(policy->shared);
        }
        arena_free(&policy->arena);
        free(policy);
}
