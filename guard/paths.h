/*
 * What a path is: normalised (//, ., .., /proc/self/root), relative to where the command has gone, and looked up in
 * tables of places that matter.
 */
#ifndef BAILEY_GUARD_PATHS_H
#define BAILEY_GUARD_PATHS_H

#include "base/path.h"
#include "guard/judge.h"

/* Absolute, or beginning with ~, or relative to a place that is not known. Links made by the command itself are
 * followed. */
struct str path_resolve(struct guard *g, struct str path);
struct str path_normal(struct guard *g, struct str path); /* the same, without following them */

/* PATH_* flags of a resolved path. */
uint32_t path_flags(struct guard *g, const struct arg *arg, struct str path);

/* PATH_OUTSIDE or PATH_WHOLE of a resolved path whose content is lost; `text` is how it is spelled, `how` is HOW_*. */
uint32_t path_place(struct guard *g, struct str text, struct str path, uint32_t how);

bool path_is_temporary(struct str path);

/* $UNSET/ and $UNSET/x: with the variable empty, it is a path from the root. */
bool path_unset_is_critical(struct guard *g, const struct arg *arg);

#endif
