/*
 * What one config file says: its values, checked against the table of keys, in the order of the file. Pure: from a text.
 */
#ifndef BAILEY_POLICY_CONFIG_H
#define BAILEY_POLICY_CONFIG_H

#include "base/value_tree.h"
#include "policy/setting.h"

enum { CONFIG_POLICIES_MAX = 256 }; /* in a file */

enum config_language {
        CONFIG_TOML,
        CONFIG_JSON5,
        CONFIG_JSON,
};

/* A [policy.NAME], empty ones too. */
struct config_policy {
        struct config_policy *next;
        struct str name;
        struct tree_pos at;
};

struct config {
        enum policy_layer layer;
        const char *file; /* for messages; or the text of an override */
        bool trusted;
        struct setting *settings;
        struct config_policy *policies;
};

/* Returns the language of a file by its suffix; -1: unknown. */
int config_language(const char *file, enum config_language *ret);

/* Fills settings and policies; file, layer and trusted are the caller's. The error is "FILE:LINE:COLUMN: message". */
int config_read(struct str text, enum config_language language, struct arena *arena, struct config *config, struct err *err);

/*
 * The same from "guard.mode=warn", in config->file. What comes behind = is a JSON5 value or, where that makes no sense, a
 * string; a list takes one item, or an array.
 */
int config_read_override(struct arena *arena, struct config *config, struct err *err);

/*
 * One value more in a config file, everything else in it left as it is: comments, order, spaces.
 */

struct list_value {
        const char *table, *key; /* guard or sandbox.network, domain_allowlist; a file may have them in camelCase */
        const char *member;      /* what an item that is a table calls its value: regex; NULL: items are plain */
        struct str value;        /* example.org */
        bool warns;              /* such a table has severity = "warn", too */
        bool alone;              /* no item: the only value of the key, as JSON writes it: true, "deny" */
};

/* Writes the new text to `out`: the old one with something put in, and it means the same but for the value. `path` ends as the
 * language does. Returns 1, or 0 when the value is there already and nothing was written. ERR_REFUSED: another one is. */
int config_list_add(struct str text, const char *path, const struct list_value *value, struct arena *arena, struct buf *out,
                    struct err *err);

#endif
