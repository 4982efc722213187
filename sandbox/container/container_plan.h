/*
 * Compiles a policy to the command lines of an engine's client. For the backends of container.c.
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

/* ERR_UNSUPPORTED: the policy requires something that a container does not support; ERR_INVALID: it contains something that a
 * rule forbids, which the message names. */
int container_plan(const struct container_question *question, struct arena *arena, struct launch *ret, struct err *err);

/* A container for a whole session, in which commands are run later. */
struct container_session {
        const char *const *create;
        const char *const *remove;
        struct mount_list mounts; /* what is mounted of the host */
};

int container_plan_session(const struct container_question *question, const char *name, struct arena *arena,
                           struct container_session *ret, struct err *err);

#endif
