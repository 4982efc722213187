/*
 * none: no sandbox. The environment is filtered, limits apply, and all processes are killed at the end.
 */
#include "sandbox/backend.h"

static int none_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                     const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        if (plan_common(policy, host, request, 0, arena, ret, err) < 0)
                return -1;
        ret->backend = backend->name;
        ret->seccomp_count = 0;
        ret->guarantees = backend->guarantees;
        return 0;
}

const struct backend backend_none = {
        .name = "none",
        .id = BACKEND_NONE,
        .terminal = true,
        .brokers = true,
        .guarantees = 0,
        .summary = "only the environment filter, limits and timeouts",
        .remedy = "set BAILEY_SANDBOX=none and BAILEY_ALLOW_NO_SANDBOX=1",
        .limits = "enforced by a cgroup if available; otherwise best effort: memory per process, processes per user",
        .plan = none_plan,
};
