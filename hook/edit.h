/*
 * Changes to the text of a JSON file, in the style in which it is written.
 */
#ifndef BAILEY_HOOK_EDIT_H
#define BAILEY_HOOK_EDIT_H

#include "base/buf.h"
#include "hook/tree.h"

/* Both write the whole new text. A value goes behind the last one of `container`; `key` is NULL in an array. */
void edit_insert(const struct tree *tree, const struct node *container, const char *key, const json_t *value, struct buf *out);
void edit_remove(const struct tree *tree, const struct node *node, struct buf *out);

/* What would change, for people: the lines that go and those that come. */
void edit_show(struct str before, struct str after, struct buf *out);

#endif
