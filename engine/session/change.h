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
        bool remove; /* it is taken out of the list */
};

/* All that one change does: the guard and the gateway have lists of their own. */
enum { CHANGE_ITEMS_MAX = 3 };
struct change_items {
        struct config_item items[CHANGE_ITEMS_MAX];
        size_t count;
};

/* "allow", "deny" */
const char *change_word(enum bailey_change change);
int change_find(const char *word, enum bailey_change *ret);

/* What has to be added where, in this policy. Texts live in the arena. Values are validated when they are used. */
int change_items(enum bailey_change change, const char *subject, const struct policy *policy, struct arena *arena,
                 struct change_items *ret, struct err *err);

/* "guard.domain_allowlist=["example.org"]" for each item, NULL-terminated; NULL without memory. */
const char *const *change_overrides(const struct change_items *items, const struct policy *policy, struct arena *arena);

/* Fails if the change has no effect in a policy that has it, because something else takes precedence. */
int change_check(const struct policy *policy, const struct change_items *items, struct err *err);

#endif
