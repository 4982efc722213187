/*
 * Where credentials and other private data are stored, defined once: the guard looks a path up by its glob, sandboxes put a
 * mask over the place.
 *
 * `mask` is absolute, or ~/ and a path in the home. Of a ~/.config or ~/.local/share that XDG_CONFIG_HOME or XDG_DATA_HOME
 * moves elsewhere, the same path there is meant, too. `moved` are the variables that name another place, with spaces between
 * them: NAME, NAME/ and a path in the directory that it names, or NAME: for a list of paths. NULL: there is none.
 */
#ifndef BAILEY_POLICY_CREDENTIALS_H
#define BAILEY_POLICY_CREDENTIALS_H

#include <stddef.h>

struct credential_row {
        const char *glob; /* * and ? stay inside a component, ** does not */
        const char *mask; /* what a sandbox hides; NULL: nothing of its own */
        const char *moved;
};

/* Private, but nothing whose values could be redacted from output: they are only hidden, and the guard does not know them. What
 * projects have under the same names is ordinary. */
struct private_row {
        const char *mask, *moved;
};

/* Sorted by glob, and by mask. No mask is in both. */
extern const struct credential_row credentials[];
extern const size_t credential_count;
extern const struct private_row private_places[];
extern const size_t private_count;

#endif
