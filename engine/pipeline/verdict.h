/*
 * How a verdict is written, in the answers of check.c and run.c.
 */
#ifndef BAILEY_ENGINE_VERDICT_H
#define BAILEY_ENGINE_VERDICT_H

#include "base/buf.h"
#include "guard/guard.h"

/* "reasons":[...] */
void verdict_reasons_json(const struct verdict *verdict, struct buf *out);

/* A line per reason. */
void verdict_reasons_text(const struct verdict *verdict, struct buf *out);

#endif
