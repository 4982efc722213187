/*
 * What a command can ask for beside what its policy allows: hosts and paths, each by itself. What a person could not judge, and
 * what nobody should agree to, is no question.
 */
#ifndef BAILEY_ENGINE_NEED_H
#define BAILEY_ENGINE_NEED_H

#include "base/arena.h"
#include "base/err.h"
#include "policy/policy.h"

/* A name or an address, perhaps with a port; no wildcards, and nothing that is special. */
int need_host_check(const char *host, struct err *err);

/* Can it be reached already? */
bool need_host_is_met(const struct policy *policy, const char *host, struct arena *arena);

/* The host without its port, for lists that have none; NULL without memory. */
const char *need_host_name(const char *host, struct arena *arena);

/* A directory or file that is there, and its path without links. Nothing of the system, no credentials, nothing that runs later
 * or contains such a thing, and not the workspace, in which the policy says what can be written. */
int need_write_check(const struct policy *policy, const char *const *environment, const char *path, struct arena *arena,
                     const char **ret, struct err *err);

#endif
