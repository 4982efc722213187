/*
 * Files that programs on the host run automatically, defined once: files that a shell, git, an editor, an agent, a debugger or
 * the system reads by itself, and that can name a program to run. The guard blocks commands that write them; sandboxes keep
 * those at the top of a workspace as they are.
 */
#ifndef BAILEY_POLICY_UNASKED_H
#define BAILEY_POLICY_UNASKED_H

#include <stddef.h>

/* Where a row counts. */
enum unasked_place {
        UNASKED_WORKSPACE = 1 << 0, /* at the top of a workspace: a name, or a path of several; no wildcards */
        UNASKED_HOME = 1 << 1,      /* in a home; the guard asks for it in any directory, as each may become one */
        UNASKED_GIT = 1 << 2,       /* in a repository, wherever that is; sandboxes find these with git's own rules */
        UNASKED_SYSTEM = 1 << 3,    /* absolute */
};

/* All that the guard knows by its path alone. */
enum { UNASKED_GUARDED = UNASKED_HOME | UNASKED_GIT | UNASKED_SYSTEM };

struct unasked {
        const char *path; /* relative to the place, without a slash at the end. * and ? stay inside a component, ** does not */
        unsigned places;
        const char *by; /* what runs it */
};

/* Sorted by path. */
extern const struct unasked unasked_rows[];
extern const size_t unasked_count;

/* The first row behind `row` (NULL: of all) that counts at one of these places; NULL when there is none. */
const struct unasked *unasked_next(const struct unasked *row, unsigned places);

#endif
