/*
 * Text that may hold anything, made fit to stand in a page: nothing of it can end the place where it stands, and no
 * character that acts without being seen gets through.
 */
#ifndef BAILEY_AUDIT_ESCAPE_H
#define BAILEY_AUDIT_ESCAPE_H

#include "base/buf.h"

/* A JSON string, quotes included, for a script element that holds data: ASCII only, without <, > and &, so that neither
 * a tag nor a comment can begin in it. Each byte that is not UTF-8 becomes U+FFFD. */
void escape_json(struct buf *out, struct str text);

/* For the text of an element, or an attribute in quotes. What would not be seen is shown as <U+202E>. */
void escape_html(struct buf *out, struct str text);

/* Not cut inside a character. */
struct str escape_cut(struct str text, size_t max);

#endif
