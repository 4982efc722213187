/*
 * Writes the audit records of a run.
 */
#ifndef BAILEY_ENGINE_RECORD_H
#define BAILEY_ENGINE_RECORD_H

#include "audit/audit.h"
#include "engine/pipeline/run.h"
#include "engine/policy.h"

/* A command that was only checked; if the verdict `decides`, a blocked one is refused. Errors are ignored, because nothing
 * runs. */
void record_checked(const struct bailey_policy *policy, struct str command, const char *cwd, bool decides,
                    const struct verdict *verdict, struct arena *arena);

/* Fails if the audit log cannot be written and audit.required is set. */
int record_ready(struct run *run, struct err *err);

/* Before a launch; fails as above, and then `run->result.unrecorded` is set. */
int record_intent(struct run *run, struct err *err);

/* Writes the outcome. */
void record_end(struct run *run);

#endif
