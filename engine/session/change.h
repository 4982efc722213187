/*
 * The changes that a user can make to a running session, or permanently: one row for each kind.
 */
#ifndef BAILEY_ENGINE_CHANGE_H
#define BAILEY_ENGINE_CHANGE_H

#include "base/arena.h"
#include "base/err.h"
#include "include/bailey.h"
#include "policy/policy.h"

enum { CHANGE_MAX = 1024 }; /* bytes of what is changed */

/* A value for a list of the config. */
struct config_item {
        const char *key; /* "guard.domain_allowlist" */
        const char *value;
};

/* "allow", "deny" */
const char *change_word(enum bailey_change change);
int change_find(const char *word, enum bailey_change *ret);

/* Texts live in the arena. The value is validated when it is used. */
int change_item(enum bailey_change change, const char *subject, struct arena *arena, struct config_item *ret, struct err *err);

/* "guard.domain_allowlist=["example.org"]"; NULL without memory. */
const char *change_override(const struct config_item *item, struct arena *arena);

/* Fails if the change has no effect in a policy that has it, because something else takes precedence. */
int change_check(const struct policy *policy, const struct config_item *item, struct err *err);

#endif
