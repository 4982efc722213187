/*
 * What is known of the host around a command, and what of the environment it gets. A session looks once, and again when
 * something has changed; commands that are under way keep what they began with.
 */
#ifndef BAILEY_ENGINE_OUTLOOK_H
#define BAILEY_ENGINE_OUTLOOK_H

#include "engine/pipeline/watch.h"
#include "sandbox/host.h"

struct outlook {
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
struct outlook *outlook_get(struct outlook **kept, const struct policy *policy, const struct host_question *question,
                            struct err *err);
void outlook_leave(struct outlook *outlook);

#endif
