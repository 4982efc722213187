/*
 * What an AppContainer may use of the host's files: entries for it alone in their lists of who may do what.
 */
#ifndef BAILEY_LAUNCH_GRANTS_WINDOWS_H
#define BAILEY_LAUNCH_GRANTS_WINDOWS_H

#include <wchar.h>

#include "sandbox/launch.h"

struct grants {
        wchar_t **paths; /* that have such an entry now */
        size_t count;
};

/* All of them or none. `sid`: who is granted it. */
int grants_give(const struct appcontainer_plan *plan, void *sid, struct grants *ret, struct err *err);

/* Frees, too. An entry that cannot be taken back is for somebody who is not there any more. */
void grants_take_back(struct grants *grants, void *sid);

#endif
