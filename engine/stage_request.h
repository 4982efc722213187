/*
 * A stage that is asked for from outside, open, with what is in it.
 */
#ifndef BAILEY_ENGINE_STAGE_REQUEST_H
#define BAILEY_ENGINE_STAGE_REQUEST_H

#include "include/bailey.h"
#include "policy/files.h"
#include "stage/changes.h"

struct stage_asked {
        struct directory state;
        struct stage stage;
        struct stage_roots roots;
        struct stage_changes changes;
        bool *chosen; /* of the changes, by the paths that were given */
        struct arena *arena;
};

/* Where it is, by name; not opened. The texts are of the arena. */
int stage_find(const struct bailey_stage_request *request, struct stage_asked *asked, struct stage_request *ret,
               struct err *err);

/* Opens it; with `alone`, locked. */
int stage_ask(const struct bailey_stage_request *request, bool alone, struct stage_asked *ret, struct err *err);

/* Looks what is in it, and which of that is meant. A path at which nothing is staged is an error. */
int stage_look(const struct bailey_stage_request *request, struct stage_asked *asked, struct err *err);

/* For bailey_stage_diff(): without the lines that differ. */
void stage_put_change(const struct stage_change *change, struct bailey_stage_change *ret);

/* Writes to the audit log what was done; false: it could not be written. */
bool stage_record(const struct bailey_stage_request *request, const char *workspace, const char *text);

void stage_done(struct stage_asked *asked);

#endif
