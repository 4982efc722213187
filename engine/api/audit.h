/*
 * Records as they are read for every answer about them.
 */
#ifndef BAILEY_ENGINE_AUDIT_H
#define BAILEY_ENGINE_AUDIT_H

#include "audit/read.h"
#include "include/bailey.h"

/* The same as bailey_audit_open(). */
int records_open(const struct bailey_policy *policy, const struct bailey_audit_query *query, struct bailey_audit_reader **ret,
                 struct err *err);

/* The next that is asked for, valid until the next call; what is no record is passed over. 1, 0 at the end. */
int records_next(struct bailey_audit_reader *reader, struct str *ret_line, const struct tree_node **ret_record,
                 struct err *err);

/* After the end: what has been written since is there now. */
int records_again(struct bailey_audit_reader *reader, struct err *err);

/* Gives the text away, with a NUL behind it. */
int records_hand_out(struct buf *out, char **ret_text, size_t *ret_length, struct err *err);

#endif
