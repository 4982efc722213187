/*
 * none: no walls. The environment is filtered, limits hold, and processes are looked after.
 */
#include "sandbox/backend.h"

static int none_plan(const struct backend *backend, const struct policy *policy, const struct host *host,
                     const struct sandbox_request *request, struct arena *arena, struct launch *ret, struct err *err) {
        if (plan_common(policy, host, request, 0, arena, ret, err) < 0)
                return -1;
        ret->backend = backend->name;
        ret->seccomp_count = 0;
        ret->walls = backend->walls;
        return 0;
}

const struct backend backend_none = {
        .name = "none",
        .id = BACKEND_NONE,
        .brokers = true,
        .walls = 0,
        .summary = "no sandbox: only the environment is filtered",
        .remedy = "only with BAILEY_SANDBOX=none and BAILEY_ALLOW_NO_SANDBOX=1",
        .limits = "enforced by a cgroup where one can be had; else best effort: memory by process, processes by user",
        .plan = none_plan,
};
