/*
 * What `allow` and `deny` have changed in a session.
 */
#ifndef BAILEY_FORMAT_CHANGE_H
#define BAILEY_FORMAT_CHANGE_H

#include "bailey.h"
#include "base/buf.h"

void format_changed_text(const struct bailey_changed *changed, struct buf *out);

#endif
