/*
 * Homes of workspaces, as JSON and for people. Names in them were chosen by commands: control characters are escaped.
 */
#ifndef BAILEY_FORMAT_HOME_H
#define BAILEY_FORMAT_HOME_H

#include "bailey.h"
#include "base/buf.h"

void format_homes_json(const struct bailey_homes *homes, struct buf *out);
void format_homes_text(const struct bailey_homes *homes, struct buf *out);

/* The size of one, or of all of them together: "1.2 GiB", "at least 1.2 GiB". */
void format_home_size(const struct bailey_home *home, struct buf *out);
void format_homes_size(const struct bailey_homes *homes, struct buf *out);

/* What came of bailey_home_clear(). */
void format_cleared_json(const struct bailey_homes *homes, struct buf *out);
void format_cleared_text(const struct bailey_homes *homes, struct buf *out);

void format_home_changes_json(const struct bailey_home_changes *changes, struct buf *out);
void format_home_changes_text(const struct bailey_home_changes *changes, struct buf *out);

/* For bailey doctor: homes whose workspace is gone, in one line. Nothing if there are none. */
void format_stale_text(const struct bailey_homes *homes, struct buf *out);

#endif
