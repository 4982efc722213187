/*
 * From a node of a config file to the value of a key: checked, converted, with its place. Knows types, not keys.
 */
#ifndef BAILEY_POLICY_SETTING_H
#define BAILEY_POLICY_SETTING_H

#include "policy/keys.h"
#include "base/value_tree.h"

enum { SETTING_ITEMS_MAX = 4096 }; /* of a list, from all files together */

/* One value that one file gives. */
struct setting {
        struct setting *next;
        const struct key_row *key;
        struct str policy; /* the NAME of [policy.NAME]; empty: of the general sections */
        union key_value value;
        const struct tree_pos *items_at; /* of a list: where each item stands */
        struct tree_pos at;              /* where the value stands */
        bool replace;                    /* a list that does not add, but replaces */
};

struct setting_reader {
        struct arena *arena;
        struct tree_error *error;
        const char *path; /* of the key, for messages: "guard.mode" */
};

/* Fills key, value, items_at, at and replace. */
int setting_read(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node, struct setting *ret);

/* "PATH: message"; returns -1. */
int setting_fail(const struct setting_reader *r, struct tree_pos at, const char *format, ...)
        __attribute__((format(printf, 3, 4)));

/* "PATH: expected WHAT, found what `node` is". */
int setting_expected(const struct setting_reader *r, const struct tree_node *node, const char *what);
int setting_no_memory(const struct setting_reader *r);

/* A string that the row's `text` accepts, if it has one. */
int setting_text(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node, struct str *ret);

/* setting_list.c: the three kinds of lists. */
int setting_read_list(const struct setting_reader *r, const struct key_row *key, const struct tree_node *node,
                      struct setting *ret);

#endif
