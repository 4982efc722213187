/*
 * Verdicts, as JSON and for people.
 */
#ifndef BAILEY_FORMAT_VERDICT_H
#define BAILEY_FORMAT_VERDICT_H

#include "bailey.h"
#include "base/buf.h"
#include "format/paint.h"

const char *format_action(enum bailey_action action);

void format_verdict_json(const struct bailey_verdict *verdict, struct buf *out);

/* `source` is the command. */
void format_verdict_text(const struct bailey_verdict *verdict, struct str source, bool colors, struct buf *out);

/* "reasons":[...] */
void put_reasons(struct buf *out, const struct bailey_reason *reasons, size_t count);

#endif
