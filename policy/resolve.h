/*
 * From what the files say to one policy. Pure: the files have been read.
 *
 * In this order, later wins and lists add up: the built-in values; the general sections of each file; the chosen policy
 * and those it extends, the one that is extended first, each first as it is built in and then as the files have it; a
 * workspace's file that is not trusted, as far as it tightens; overrides. So what is said for one policy counts more than
 * what is said for all.
 */
#ifndef BAILEY_POLICY_RESOLVE_H
#define BAILEY_POLICY_RESOLVE_H

#include "policy/config.h"

enum { POLICY_CHAIN_MAX = 16 }; /* policies that extend each other */

/* `configs` in the order of their layers. A `name` that is NULL: run.policy of the configs. `workspace` may be empty.
 * All must live as long as the policy. */
int policy_resolve(const struct config *configs, size_t count, struct str name, struct str workspace, struct arena *arena,
                   const struct policy **ret, struct err *err);

/* "built-in", "FILE:LINE:COLUMN", "override", with the policy it was said for. */
void policy_origin_text(const struct policy_origin *origin, struct buf *out);

/* A path, with ? for control characters, so that it stays on its line. */
void policy_line_text(struct str text, struct buf *out);

#endif
