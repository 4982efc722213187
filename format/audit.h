/*
 * Whether the audit log is whole, and what is in it in numbers, as JSON and for people.
 */
#ifndef BAILEY_FORMAT_AUDIT_H
#define BAILEY_FORMAT_AUDIT_H

#include "bailey.h"
#include "base/buf.h"

void format_audit_check_json(const struct bailey_audit_check *check, struct buf *out);
void format_audit_check_text(const struct bailey_audit_check *check, struct buf *out);

void format_audit_stats_json(const struct bailey_audit_stats *stats, struct buf *out);
void format_audit_stats_text(const struct bailey_audit_stats *stats, struct buf *out);

#endif
