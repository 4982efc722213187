/*
 * Container runtimes, and what is configured of them, as JSON and for people.
 */
#ifndef BAILEY_FORMAT_CONTAINER_H
#define BAILEY_FORMAT_CONTAINER_H

#include "bailey.h"
#include "base/buf.h"

void format_containers_json(const struct bailey_containers *containers, struct buf *out);
void format_containers_text(const struct bailey_containers *containers, struct buf *out);

#endif
