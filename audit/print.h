/*
 * Prints records as text and CSV. What a command was may hold anything: control characters, and those that turn the
 * direction of writing around, are escaped.
 */
#ifndef BAILEY_AUDIT_PRINT_H
#define BAILEY_AUDIT_PRINT_H

#include "audit/read.h"
#include "base/time.h"

/* One line: time, id, action, backend, end, duration, and the command's first line. */
void audit_print_line(const struct tree_node *record, struct buf *out);

/* A line per field. */
void audit_print_details(const struct tree_node *record, struct buf *out);

/* A record is one line here too; a text that a spreadsheet would take for a formula gets an apostrophe in front. */
void audit_print_csv_head(struct buf *out);
void audit_print_csv(const struct tree_node *record, struct buf *out);

/* How it ended: "exit 0", "signal 9", "timed out", "refused", ... */
void audit_print_end(const struct tree_node *record, struct buf *out);

/* ---- sums ---- */

enum { COUNTER_NAME_SIZE = 64, COUNTERS_MAX = 1024 };

enum audit_group { GROUP_KIND, GROUP_ACTION, GROUP_RULE, GROUP_BACKEND, GROUP_END, GROUP_HOUR };

struct audit_counter {
        enum audit_group group;
        char name[COUNTER_NAME_SIZE];
        uint64_t count;
};

struct audit_stats {
        struct audit_counter counters[COUNTERS_MAX];
        size_t count;
        uint64_t commands;
        char first[TIME_TEXT_SIZE], last[TIME_TEXT_SIZE]; /* times of records; "": there are none */
};

struct audit_stats *audit_stats_new(void);
void audit_stats_free(struct audit_stats *stats);
void audit_stats_add(struct audit_stats *stats, const struct tree_node *record);
void audit_stats_sort(struct audit_stats *stats); /* by group, the most frequent first */

#endif
