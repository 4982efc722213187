/*
 * What the stages put on record.
 */
#ifndef BAILEY_ENGINE_RECORD_H
#define BAILEY_ENGINE_RECORD_H

#include "audit/audit.h"
#include "engine/pipeline/run.h"
#include "engine/policy.h"

/* A command that was only asked about. Whether it could be written is nobody's concern: nothing runs. */
void record_tested(const struct bailey_policy *policy, struct str command, const char *cwd, const struct verdict *verdict,
                   struct arena *arena);

/* Can what follows be recorded? Fails when it cannot and has to be. */
int record_ready(struct run *run, struct err *err);

/* Before a launch; fails as above, and then `run->unrecorded` is set. */
int record_intent(struct run *run, struct err *err);

/* What came of it, once the outcome is known. */
void record_end(struct run *run);

#endif
