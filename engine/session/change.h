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
enum { CHANGE_ITEMS_MAX = 4 };
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

/* Is the host that is to be allowed one of those that were denied? */
bool change_denies(const char *denied, const char *subject);

/* Leaves those that make a difference to the lists of this policy. */
void change_leave_new(const struct policy *policy, struct change_items *items);

/* Changes the policy of a session. `ret`: what has changed; texts live in the arena. */
int change_session(struct bailey_session *session, enum bailey_change change, const char *subject, struct arena *arena,
                   struct change_items *ret, struct err *err);

/* Allows a host for the rest of the session, also where there was no network. `name`: the host without a port, for lists that
 * have none. */
int change_allow(struct bailey_session *session, const char *host, const char *name, struct err *err);

/* The user agrees to what a rule warns of, for the rest of the session. */
int change_accept(struct bailey_session *session, struct str rule, struct str what, struct err *err);

/* What the same change adds to the user's config file, if it can be made there: engine/api/config_change.c */
int change_config_items(enum bailey_change change, const char *subject, const char *const *environment, struct arena *arena,
                        struct change_items *ret, struct err *err);

/* Fails if the change has no effect in a policy that has it, because something else takes precedence. */
int change_check(const struct policy *policy, const struct change_items *items, struct err *err);

#endif
