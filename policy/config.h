/*
 * What one config file says: its values, checked against the table of keys, in the order of the file. Pure: from a text.
 */
#ifndef BAILEY_POLICY_CONFIG_H
#define BAILEY_POLICY_CONFIG_H

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

#endif
