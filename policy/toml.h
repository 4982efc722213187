/*
 * TOML 1.0.0, all of it, without extensions: what Python's tomllib reads, is read here, into the same tree; what it
 * refuses, is refused. Intended differences: an integer outside of 64 bits is an error (TOML asks for that; Python has
 * integers of any size), and so are more than TREE_DEPTH_MAX nested tables and more than TREE_TEXT_MAX bytes.
 */
#ifndef BAILEY_POLICY_TOML_H
#define BAILEY_POLICY_TOML_H

#include "base/value_tree.h"

/* 0, or -1 with `error` (may be NULL) filled and the arena as it was. `text` may go away afterwards. */
int toml_read(struct str text, struct arena *arena, struct tree_node **ret, struct tree_error *error);

#endif
