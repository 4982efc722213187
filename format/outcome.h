/*
 * How a command ended, as JSON; and the names of what becomes of limits.
 */
#ifndef BAILEY_FORMAT_OUTCOME_H
#define BAILEY_FORMAT_OUTCOME_H

#include "bailey.h"
#include "base/buf.h"

const char *format_limit_state(enum bailey_limit_state state);

/* The members exit_code, signal, timed_out and cancelled. */
void put_ending(struct buf *out, const struct bailey_outcome *o);

/* The member network, if the policy lists hosts. */
void put_network(struct buf *out, const struct bailey_traffic *network);

void format_outcome_json(const struct bailey_outcome *outcome, struct buf *out);

#endif
