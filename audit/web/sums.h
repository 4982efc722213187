/*
 * What a page says of all commands together: how many by verdict, rule, end, sandbox and time, the slowest, and those that
 * were blocked most often. One pass over the records, in bounded memory; what no longer fits is counted as such.
 */
#ifndef BAILEY_AUDIT_SUMS_H
#define BAILEY_AUDIT_SUMS_H

#include <stdint.h>

#include "audit/digests.h"
#include "audit/read.h"
#include "base/buf.h"
#include "base/time.h"

/*
 * How many commands there were when, in a bounded number of spans: when they do not suffice, each becomes longer. So one
 * pass does, whatever time the records cover.
 */

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

extern const char *const sums_columns[COLUMNS]; /* "allowed", ... */

enum { TALLY_MAX = 256, TALLY_NAME_SIZE = 64, SUMS_TOP = 10 };

struct tally_item {
        char name[TALLY_NAME_SIZE];
        uint64_t counts[COLUMNS]; /* by verdict */
};

struct tally {
        struct tally_item items[TALLY_MAX];
        size_t count;
        uint64_t others; /* of names past the last item */
};

struct sums_command {
        struct digest key; /* of its text */
        char *text;        /* the start of it, as JSON */
        char id[ID_SIZE], time[TIME_TEXT_SIZE];
        uint64_t number; /* milliseconds, or how many times */
};

struct sums {
        uint64_t commands, open; /* open: without an outcome in the log */
        uint64_t changes;        /* of a session's policy, which are no commands */
        uint64_t counts[COLUMNS];
        char first[TIME_TEXT_SIZE], last[TIME_TEXT_SIZE];
        struct tally rules, ends, backends;
        struct timeline timeline;
        struct sums_command slowest[SUMS_TOP];
        size_t slowest_count;
        struct digests blocked_index; /* text -> place in `blocked` */
        struct sums_command *blocked;
        size_t blocked_count, blocked_room;
        uint64_t blocked_others; /* of texts past the last one */
};

int sums_init(struct sums *sums, struct err *err);
void sums_free(struct sums *sums);

/* The first record of a command, and the one of its end; they may be the same. */
int sums_begin(struct sums *sums, const struct tree_node *record, struct err *err);
int sums_end(struct sums *sums, const struct tree_node *record, struct err *err);

/* ---- sums_print.c ---- */

void sums_json(struct sums *sums, struct buf *out);

/* The verdicts and rules, as HTML, for those who run no scripts. */
void sums_html(struct sums *sums, struct buf *out);

#endif
