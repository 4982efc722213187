/*
 * How many commands there were when, in a bounded number of spans: when they do not suffice, each becomes longer. So one
 * pass does, whatever time the records cover.
 */
#ifndef BAILEY_AUDIT_TIMELINE_H
#define BAILEY_AUDIT_TIMELINE_H

#include <stdint.h>

#include "base/buf.h"

enum verdict_column { COLUMN_ALLOWED, COLUMN_WARNED, COLUMN_BLOCKED, COLUMN_OTHER, COLUMNS };

enum { TIMELINE_SPANS = 120 };

struct timeline {
        size_t width;  /* a row of the table of widths */
        int64_t first; /* the span that spans[0] is, counted from 1970 */
        size_t count;  /* 0: nothing yet */
        uint64_t spans[TIMELINE_SPANS][COLUMNS];
};

/* `time` as records have it; anything else is not counted. */
void timeline_add(struct timeline *timeline, struct str time, enum verdict_column column);

/* {"seconds": length of a span, "start": of the first, since 1970, "spans": [[allowed, warned, blocked, other], ...]} */
void timeline_json(const struct timeline *timeline, struct buf *out);

#endif
