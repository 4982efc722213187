/*
 * Applying a stage: turns the chosen changes into the steps of a journal.
 */
#ifndef BAILEY_STAGE_APPLY_H
#define BAILEY_STAGE_APPLY_H

#include "stage/changes.h"
#include "stage/journal.h"

struct stage_plan {
        const struct stage *stage;
        const struct stage_roots *roots;
        struct stage_changes *changes;
        const bool *included; /* of the changes */
};

/* A change that cannot be applied in part is an error. Files that share their content with one that is not applied become
 * files of their own. */
int stage_plan(const struct stage_plan *plan, struct arena *arena, struct stage_journal *ret, struct err *err);

#endif
