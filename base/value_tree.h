/*
 * What a file says, whichever language it is written in: tables, arrays and plain values in document order, each with the
 * place it came from, so that whoever finds a value wrong can point at it, and json5_edit.h can change it. Built by
 * toml_read() and json5_read(); lives in their arena; never changes afterwards; does not refer to the text it was read from.
 */
#ifndef BAILEY_BASE_VALUE_TREE_H
#define BAILEY_BASE_VALUE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
        TREE_TEXT_MAX = 1 << 20, /* bytes of a config file */
        TREE_DEPTH_MAX = 100,    /* tables and arrays inside each other, the outermost counted */
};

enum tree_kind {
        TREE_TABLE,
        TREE_ARRAY,
        TREE_STRING,
        TREE_INTEGER,
        TREE_FLOAT,
        TREE_BOOLEAN,
        TREE_NULL, /* JSON and JSON5 only */
        /* TOML only; valid, and kept as the text of the file */
        TREE_OFFSET_DATETIME,
        TREE_LOCAL_DATETIME,
        TREE_LOCAL_DATE,
        TREE_LOCAL_TIME,
};

/*
 * Both count from 1. A column is one Unicode code point (as in most editors; a tab is one), a line ends at LF only. A
 * byte order mark in front of the text is not counted.
 */
struct tree_pos {
        uint32_t line, column;
};

struct tree_fork; /* of a table's index, see value_tree.c */

struct tree_node {
        enum tree_kind kind;
        uint16_t depth;         /* 1 for the outermost */
        uint32_t mark;          /* for the reader that builds the tree */
        struct tree_pos at;     /* where the value starts; a TOML table: the key in its [header] */
        struct tree_pos key_at; /* where the key starts */
        uint32_t start,
                end;    /* bytes of the text: the value. A TOML table with a [header] starts as `at` does, and has no end */
        uint32_t item;  /* where its key starts; in an array, and the outermost: where it starts itself */
        struct str key; /* inside a table; NUL-terminated, but may hold NULs too */
        struct tree_node *parent, *previous, *next; /* the latter two are siblings */
        union {
                struct { /* TREE_TABLE, TREE_ARRAY */
                        struct tree_node *first, *last;
                        struct tree_fork *index;
                        size_t count;
                };
                struct str text; /* TREE_STRING and the four of time; NUL-terminated, but may hold NULs too */
                int64_t integer;
                double real; /* TREE_FLOAT; may be an infinity or NaN */
                bool boolean;
        };
};

#define TREE_EACH(child, parent) for (const struct tree_node *child = (parent)->first; child; child = child->next)

struct tree_error {
        enum err_code code;
        struct tree_pos at; /* line 0: about the file as a whole */
        char message[210];  /* one line of printable ASCII: what was found, what was expected */
};

/* Puts "FILE:LINE:COLUMN: message" into `err`; returns -1. A long file name loses its front, the message nothing. */
int tree_error_set(struct err *err, const char *file, const struct tree_error *error);

/* Returns the value of a key; NULL: not found, or `table` is not a table. Fast in large tables, too. */
const struct tree_node *tree_get(const struct tree_node *table, struct str key);

/* Do both mean the same, wherever they stand? Keys of a table have no order. `except` (may be NULL) is a node anywhere in `b`
 * that is passed over. */
bool tree_equal(const struct tree_node *a, const struct tree_node *b, const struct tree_node *except);

/* For messages, with its article: "a string". */
const char *tree_kind_name(enum tree_kind kind);

/*
 * JSON that json5_read() reads back into the same tree: a float keeps its point or exponent. Only an infinity or NaN,
 * for which JSON has no word, makes it JSON5. Dates become strings.
 */
void tree_to_json(const struct tree_node *node, struct buf *buf);

/* For tests: every plain value as {"type": KIND, "value": "TEXT"}, in the words of the toml-test suite. */
void tree_to_json_tagged(const struct tree_node *node, struct buf *buf);

/* For readers: a new child at the end of `parent` (NULL: the outermost), kind TREE_NULL. `key` is new to the table. */
struct tree_node *tree_add(struct arena *arena, struct tree_node *parent, struct str key);

#endif
