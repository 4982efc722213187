/*
 * Access of an AppContainer to the host's files: entries for it in their access control lists.
 */
#ifndef BAILEY_LAUNCH_GRANTS_WINDOWS_H
#define BAILEY_LAUNCH_GRANTS_WINDOWS_H

#include <wchar.h>

#include "sandbox/launch.h"

struct grants {
        wchar_t **paths; /* that have such an entry now */
        size_t count;
};

/* Grants all of them or none. `sid`: the AppContainer. */
int grants_give(const struct appcontainer_plan *plan, void *sid, struct grants *ret, struct err *err);

/* Revokes and frees. An entry that cannot be revoked is for an AppContainer that no longer exists. */
void grants_take_back(struct grants *grants, void *sid);

#endif
