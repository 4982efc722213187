/*
 * The reasons of a verdict, in the results of check.c and outcome.c.
 */
#ifndef BAILEY_ENGINE_VERDICT_H
#define BAILEY_ENGINE_VERDICT_H

#include "base/buf.h"
#include "guard/guard.h"
#include "include/bailey.h"

/* As bailey.h has them. The texts are copied: those of a user's pattern are the policy's. Returns -1 without memory. */
int verdict_reasons(const struct verdict *verdict, struct arena *arena, const struct bailey_reason **ret, size_t *ret_count);

/* A line per reason. */
void verdict_reasons_text(const struct verdict *verdict, struct buf *out);

#endif
