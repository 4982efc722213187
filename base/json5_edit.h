/*
 * Changes to the text of a JSON or JSON5 file, in the style in which it is written. All else stays byte for byte.
 */
#ifndef BAILEY_BASE_JSON5_EDIT_H
#define BAILEY_BASE_JSON5_EDIT_H

#include "base/buf.h"
#include "base/json5.h"

struct json5_file {
        struct str text;
        const struct json5_rules *rules;
        const struct tree_node *root; /* what json5_read() has made of the text by these rules */
};

/* Both write the whole new text to `out`, and read it again. -1, and `out` is of no use: it would not be the old file with just
 * this change, or there is no room. A value goes behind the last one of `container`; `key` is NULL in an array. The arena is
 * as it was afterwards. */
int json5_insert(const struct json5_file *file, const struct tree_node *container, const char *key,
                 const struct tree_node *value, struct arena *arena, struct buf *out);
int json5_remove(const struct json5_file *file, const struct tree_node *node, struct arena *arena, struct buf *out);

/* A value as the text of a new file: on lines, indented by two blanks. */
void json5_write(const struct tree_node *value, struct buf *out);

/* The only bytes that all of these languages have for space. */
static inline bool json5_is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

#endif
