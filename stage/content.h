/*
 * The content of what is at one path in the workspace and in the stage.
 */
#ifndef BAILEY_STAGE_CONTENT_H
#define BAILEY_STAGE_CONTENT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

struct stage_sides {
        int base, upper; /* the directories that it is in */
        const char *name;
        const char *path; /* for messages */
};

/* Devices, sockets and fifos are not read. Content that cannot be read counts as different. */
int stage_same_content(const struct stage_sides *sides, const struct stat *before, const struct stat *after, bool *ret,
                       struct err *err);

#endif
