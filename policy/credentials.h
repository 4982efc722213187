/*
 * Where credentials are stored, defined once: the guard looks a path up by its glob, sandboxes put a mask over the place.
 */
#ifndef BAILEY_POLICY_CREDENTIALS_H
#define BAILEY_POLICY_CREDENTIALS_H

#include <stddef.h>

struct credential_row {
        const char *glob; /* * and ? stay inside a component, ** does not */
        const char *mask; /* what a sandbox hides: absolute, or ~/ and a path in the home; NULL: nothing of its own */
};

extern const struct credential_row credentials[];
extern const size_t credential_count;

#endif
