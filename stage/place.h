/*
 * Whether a workspace can be staged in a directory.
 */
#ifndef BAILEY_STAGE_PLACE_H
#define BAILEY_STAGE_PLACE_H

#include "base/err.h"

/* The directory has to be on the same mount, as files are renamed from there, and outside of the workspace. Nothing may be
 * mounted in the workspace, as an overlay does not show it. */
int stage_check_place(const char *workspace, int directory, const char *path, struct err *err);

#endif
