/*
 * There are no container engines here: backend_choose() refuses what asks for one.
 */
#include "engine/pipeline/containers.h"

int containers_new(struct containers **ret, struct err *err) {
        (void)err;
        *ret = NULL;
        return 0;
}

void containers_free(struct containers *containers) {
        (void)containers;
}

int containers_facts(struct containers *containers, const struct backend *backend, const char *const *environment,
                     struct arena *arena, struct container_facts *ret, struct err *err) {
        (void)containers;
        (void)environment;
        (void)arena;
        (void)ret;
        return err_set(err, ERR_UNSUPPORTED, "%s: containers are not available on Windows", backend->name);
}

int containers_share(struct containers *containers, const struct backend *backend, const struct policy *policy,
                     const struct host *host, struct arena *arena, struct container_facts *facts, struct err *err) {
        (void)containers;
        (void)policy;
        (void)host;
        (void)arena;
        (void)facts;
        return err_set(err, ERR_UNSUPPORTED, "%s: containers are not available on Windows", backend->name);
}

void containers_done(struct containers *containers, const struct container_facts *facts, bool usable) {
        (void)containers;
        (void)facts;
        (void)usable;
}

void containers_lost(struct containers *containers, const struct container_facts *facts,
                     const struct launch_container *container) {
        (void)containers;
        (void)facts;
        (void)container;
}
