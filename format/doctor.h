/*
 * Which sandboxes work here, as JSON and for people.
 */
#ifndef BAILEY_FORMAT_DOCTOR_H
#define BAILEY_FORMAT_DOCTOR_H

#include "bailey.h"
#include "base/buf.h"

/* `stale`: homes of workspaces that are gone. */
void format_backends_json(const struct bailey_backends *backends, const struct bailey_homes *stale, struct buf *out);
void format_backends_text(const struct bailey_backends *backends, const struct bailey_homes *stale, bool colors,
                          struct buf *out);

#endif
