/*
 * Which sandboxes work here, as JSON and for people.
 */
#ifndef BAILEY_FORMAT_DOCTOR_H
#define BAILEY_FORMAT_DOCTOR_H

#include "bailey.h"
#include "base/buf.h"

void format_backends_json(const struct bailey_backends *backends, struct buf *out);
void format_backends_text(const struct bailey_backends *backends, bool colors, struct buf *out);

#endif
