/*
 * JSON5 1.0.0, all of it; or, `strict`, plain JSON (RFC 8259) and nothing more. What the reference implementation reads
 * (npm: json5), is read here, into the same tree; what it refuses, is refused. Intended differences: config must have
 * one meaning only, so a key that the object already has and half of a surrogate pair are errors, as are more than
 * TREE_DEPTH_MAX nested objects and more than TREE_TEXT_MAX bytes; an integer of up to 64 bits keeps all its digits,
 * and the integer -0 no sign.
 */
#ifndef BAILEY_BASE_JSON5_H
#define BAILEY_BASE_JSON5_H

#include "base/value_tree.h"

/* 0, or -1 with `error` (may be NULL) filled and the arena as it was. `text` may go away afterwards. */
int json5_read(struct str text, bool strict, struct arena *arena, struct tree_node **ret, struct tree_error *error);

#endif
