/*
 * What can be seen of a command without knowing what it does: control bytes, characters that look like others,
 * constructs that a strict policy refuses as such.
 */
#ifndef BAILEY_GUARD_TEXT_H
#define BAILEY_GUARD_TEXT_H

#include "guard/judge.h"

void text_check_bytes(struct guard *g, struct str command);
void text_check_tree(struct guard *g, const struct script *script);

/* The commands with their words as they will be, one a line, for the user's patterns. */
void text_keep(struct guard *g, const struct arg *args, size_t count);
struct str text_normalised(struct guard *g);

#endif
