/*
 * Facts about container engines for the runs of a policy, and the container that these share, if any.
 */
#ifndef BAILEY_ENGINE_CONTAINERS_H
#define BAILEY_ENGINE_CONTAINERS_H

#include "base/arena.h"
#include "base/err.h"
#include "sandbox/backend.h"
#include "sandbox/container/container.h"

struct containers;

int containers_new(struct containers **ret, struct err *err);
void containers_free(struct containers *containers); /* NULL is fine. The shared one is removed */

/* Queries the engine of this backend, if that has not been done. The facts are for one run. For any number of threads. */
int containers_facts(struct containers *containers, const struct backend *backend, const char *const *environment,
                     struct arena *arena, struct container_facts *ret, struct err *err);

/* With [container] session: lets a run enter the one that is shared, unless another run is in it. `host` has the facts. */
int containers_share(struct containers *containers, const struct backend *backend, const struct policy *policy,
                     const struct host *host, struct arena *arena, struct container_facts *facts, struct err *err);

/* A run with these facts, if it had any, is over. `usable`: if it was in the shared one, that can go on. */
void containers_done(struct containers *containers, const struct container_facts *facts, bool usable);

/* The same, if its container was not ended; removes it. */
void containers_lost(struct containers *containers, const struct container_facts *facts,
                     const struct launch_container *container);

#endif
