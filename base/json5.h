/*
 * JSON5 1.0.0, all of it, or one of the languages that are parts of it. What the reference implementation reads (npm: json5),
 * is read here, into the same tree; what it refuses, is refused. Intended differences: a file must have one meaning only, so
 * a key that the object already has and half of a surrogate pair are errors in every language; an integer of up to 64 bits
 * keeps all its digits, and the integer -0 no sign. What differs from one kind of file to another is in `struct json5_rules`.
 */
#ifndef BAILEY_BASE_JSON5_H
#define BAILEY_BASE_JSON5_H

#include "base/value_tree.h"

enum json5_syntax {
        JSON5_PLAIN,    /* JSON (RFC 8259) and nothing more */
        JSON5_COMMENTS, /* JSON, and comments as in JSON5 ("JSONC", without trailing commas) */
        JSON5_ALL,
};

struct json5_rules {
        enum json5_syntax syntax;
        bool byte_order_mark; /* one in front of the text is passed over, not refused */
        size_t text_max;      /* bytes; at most 4 GiB */
        unsigned depth_max;   /* objects and arrays inside each other, the outermost counted */
        const char *advice;   /* what is added to the message about a comment where there may be none; may be NULL */
};

/* Those of bailey's own files: config.json5; config.json, records of the audit log. */
extern const struct json5_rules json5_all, json5_plain;

/* 0, or -1 with `error` (may be NULL) filled and the arena as it was. `text` may go away afterwards. */
int json5_read(struct str text, const struct json5_rules *rules, struct arena *arena, struct tree_node **ret,
               struct tree_error *error);

#endif
