/*
 * Where jobs run: a session of the library for each workspace, policy and set of variables that jobs name. Its sandboxes are
 * warm for the next job there. Those that no job has used for longest make room for others.
 */
#ifndef BAILEY_BATCH_PLACE_H
#define BAILEY_BATCH_PLACE_H

#include "base/buf.h"
#include "batch/job.h"

enum { PLACES_MAX = 256 };

struct place {
        struct buf key; /* what jobs name */
        struct bailey_policy *policy;
        struct bailey_session *session;
        unsigned running;
        uint64_t used; /* when: the count of uses of all */
};

struct places {
        const struct bailey_policy_options *options; /* where a job names nothing else */
        const char *const *environment;
        size_t idle_max; /* how many are kept that no job is running in */
        struct place *items[PLACES_MAX];
        size_t count;
        uint64_t uses;
};

/* The place of a job, whose `running` it counts in then. NULL: `err` says what is wrong with the job, or the host. */
struct place *place_enter(struct places *places, const struct job *job, struct err *err);
void place_leave(struct place *place);

void places_free(struct places *places);

#endif
