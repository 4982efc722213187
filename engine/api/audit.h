/*
 * Reads audit records for the functions of bailey.h.
 */
#ifndef BAILEY_ENGINE_AUDIT_H
#define BAILEY_ENGINE_AUDIT_H

#include "audit/read.h"
#include "include/bailey.h"

/* The same as bailey_audit_open(). */
int records_open(const struct bailey_policy *policy, const struct bailey_audit_query *query, struct bailey_audit_reader **ret,
                 struct err *err);

/* Reads the next matching record, valid until the next call; skips lines that are not records. Returns 1, 0 at the end. */
int records_next(struct bailey_audit_reader *reader, struct str *ret_line, const struct tree_node **ret_record,
                 struct err *err);

/* After the end: continues with records that were written since. */
int records_again(struct bailey_audit_reader *reader, struct err *err);

/* Passes ownership of the text, NUL-terminated, to the caller. */
int records_hand_out(struct buf *out, char **ret_text, size_t *ret_length, struct err *err);

#endif
