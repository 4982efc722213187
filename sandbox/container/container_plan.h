/*
 * Compiles a policy to what an engine's client has to be called with. For the backends of container.c.
 */
#ifndef BAILEY_SANDBOX_CONTAINER_PLAN_H
#define BAILEY_SANDBOX_CONTAINER_PLAN_H

#include "sandbox/backend.h"
#include "sandbox/container/container.h"
#include "sandbox/mounts.h"

struct container_question {
        const struct backend *backend;
        const struct engine *engine;
        const struct policy *policy;
        const struct host *host; /* with its `containers` */
        const struct sandbox_request *request;
};

/* What the policy asks for and is not to be had in a container is ERR_UNSUPPORTED; what must not be asked for ERR_INVALID,
 * with the rule that says so. */
int container_plan(const struct container_question *question, struct arena *arena, struct launch *ret, struct err *err);

/* A container for a whole session, in which commands are run later. */
struct container_session {
        const char *const *create;
        const char *const *remove;
        struct mount_list mounts; /* what it has of the host */
};

int container_plan_session(const struct container_question *question, const char *name, struct arena *arena,
                           struct container_session *ret, struct err *err);

#endif
