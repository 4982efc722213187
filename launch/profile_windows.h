/*
 * The profile of an AppContainer: one for each command, made before and deleted after it. The functions for it are looked up at
 * run time, as not every Windows, and no wine, has them.
 */
#ifndef BAILEY_LAUNCH_PROFILE_WINDOWS_H
#define BAILEY_LAUNCH_PROFILE_WINDOWS_H

#include <wchar.h>

#include "base/err.h"
#include "base/id.h"

enum { PROFILE_NAME_SIZE = 64 };

struct profile {
        wchar_t name[PROFILE_NAME_SIZE]; /* empty: none */
        void *sid;                       /* the SID of the AppContainer, derived from the name */
        wchar_t folder[260];             /* its own directory, where it may write; empty: unknown */
};

int profile_make(struct profile *ret, struct err *err);

/* With its directory. */
void profile_delete(struct profile *profile);

#endif
