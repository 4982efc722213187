/*
 * Options and mounts that an engine must not be given. Each refusal names the config key that forbids it.
 */
#ifndef BAILEY_SANDBOX_CONTAINER_RULES_H
#define BAILEY_SANDBOX_CONTAINER_RULES_H

#include "base/arena.h"
#include "sandbox/mounts.h"

enum { CONTAINER_WARNINGS_MAX = 16 };

struct container_rulings {
        uint32_t lost; /* guarantees that the policy explicitly gives up */
        const char *warnings[CONTAINER_WARNINGS_MAX];
        size_t warning_count;
};

/* ERR_INVALID: something is refused. `mounts`: of mounts_container(). */
int container_rules_check(const struct policy *policy, const struct host *host, const struct mount_list *mounts,
                          struct arena *arena, struct container_rulings *ret, struct err *err);

/* ---- the table, for its test ---- */

struct container_option {
        const char *name;  /* "--pid" */
        const char *value; /* the setting that this row is about; a * at its end: whatever follows; NULL: any, or none */
        const char *rule;  /* the key that refuses it; NULL: none */
        enum {
                OPTION_FINE,
                OPTION_WARNS,
                OPTION_REFUSED, /* unless its flag is off */
                OPTION_NEVER,   /* bailey sets it itself */
        } verdict;
        uint32_t loses; /* guarantees that are lost if it is allowed */
};

extern const struct container_option container_options[];
extern const size_t container_option_count;

#endif
