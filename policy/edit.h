/*
 * One value more in a list of a config file, everything else in it left as it is: comments, order, spaces.
 */
#ifndef BAILEY_POLICY_EDIT_H
#define BAILEY_POLICY_EDIT_H

#include "base/value_tree.h"

struct list_value {
        const char *table, *key; /* guard or sandbox.network, domain_allowlist; a file may have them in camelCase */
        const char *member;      /* what an item that is a table calls its value: regex; NULL: items are plain */
        struct str value;        /* example.org */
};

/* Writes the new text to `out`: the old one with something put in, and it means the same but for the value. `path` ends as the
 * language does. Returns 1, or 0 when the value is in the list already and nothing was written. */
int config_list_add(struct str text, const char *path, const struct list_value *value, struct arena *arena, struct buf *out,
                    struct err *err);

#endif
