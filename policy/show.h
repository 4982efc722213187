/*
 * A policy, and the table of keys, as text: for `config show`, `config schema` and `config init`.
 */
#ifndef BAILEY_POLICY_SHOW_H
#define BAILEY_POLICY_SHOW_H

#include "base/buf.h"
#include "policy/keys.h"

enum show_style {
        SHOW_TOML, /* for people: times and sizes with a unit */
        SHOW_JSON, /* for programs: times in seconds, sizes in bytes */
};

/* A value as a config file could have it. The value of a variable that looks like a secret is hidden. */
void key_value_write(const struct key_row *key, const union key_value *value, enum show_style style, struct buf *out);

/* Every value with where it came from. The first is a TOML file that would load. */
void policy_show_text(const struct policy *policy, struct buf *out);
void policy_show_json(const struct policy *policy, struct buf *out);

/* The JSON Schema of config files. */
void config_schema(struct buf *out);

/* A config file to start with: every key with its help and its built-in value, in comments. */
void config_template(struct buf *out);

#endif
