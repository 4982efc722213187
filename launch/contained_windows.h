/*
 * A running command on Windows.
 */
#ifndef BAILEY_LAUNCH_CONTAINED_WINDOWS_H
#define BAILEY_LAUNCH_CONTAINED_WINDOWS_H

#include "launch/grants_windows.h"
#include "launch/profile_windows.h"
#include "launch/start.h"

struct contained {
        void *process, *job; /* HANDLEs */
        struct profile profile;
        struct grants grants;
};

#endif
