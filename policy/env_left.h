/*
 * Which variables that a command has exported are kept for the next command of its session. Their values were made in a
 * sandbox, so that a name that is not listed is no reason to drop it, as it is for what is inherited from the user
 * (policy/env.h).
 */
#ifndef BAILEY_POLICY_ENV_LEFT_H
#define BAILEY_POLICY_ENV_LEFT_H

#include "policy/env.h"

/* The name is not kept, which nobody needs to be told: every shell sets it itself. */
bool env_left_is_own(struct str name);

/* Why the name is not kept, as part of a sentence; NULL: it is. */
const char *env_left_refusal(const struct env_policy *policy, struct str name);

/* Is a directory of PATH one that may be added to it? Not a relative one, nor one outside of the workspace that everybody can
 * write. `workspace` ends without a slash, but for the root. */
bool env_left_path_ok(struct str directory, struct str workspace);

#endif
