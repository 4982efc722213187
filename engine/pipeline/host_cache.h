/*
 * Cached facts about the host, and the environment of commands. A session gathers them once, and again when something has
 * changed; running commands keep the facts with which they started.
 */
#ifndef BAILEY_ENGINE_HOST_CACHE_H
#define BAILEY_ENGINE_HOST_CACHE_H

#include "engine/pipeline/watch.h"
#include "sandbox/host.h"

struct host_cache {
        struct arena arena;
        unsigned users; /* commands, and the session */
        const struct policy *policy;
        const char *const *environment;
        bool force;
        bool hopeless; /* not everything can be watched */
        struct watch watch;
        struct host host; /* without what host_gather_inside() adds */
        const char *const *envp;
};

/* `kept`: of a session, *kept NULL at first; NULL: there is none. Is to be given back. NULL: failed. */
struct host_cache *host_cache_get(struct host_cache **kept, const struct policy *policy, const struct host_question *question,
                                  struct err *err);
/* The host cannot overlay home directories: the next command of the session need not try. */
void host_cache_without_overlay(struct host_cache *host_cache, const char *why);
/* Nor can it map owners of files. */
void host_cache_without_identity(struct host_cache *host_cache, const char *why);

void host_cache_leave(struct host_cache *host_cache);

#endif
