/*
 * Verdicts, as JSON.
 */
#ifndef BAILEY_FORMAT_VERDICT_H
#define BAILEY_FORMAT_VERDICT_H

#include "bailey.h"
#include "base/buf.h"

const char *format_action(enum bailey_action action);

/* "reasons":[...] */
void put_reasons(struct buf *out, const struct bailey_reason *reasons, size_t count);

#endif
