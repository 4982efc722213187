/*
 * The parts of the user's home directory that are visible in the home of a workspace, defined once. No other part is
 * visible, so that paths unknown to this table are private.
 */
#ifndef BAILEY_HOME_SHOWN_H
#define BAILEY_HOME_SHOWN_H

#include <stddef.h>

enum shown_kind {
        SHOWN_TOOLS,    /* a directory of programs and their files */
        SHOWN_CACHE,    /* a directory of files that can be downloaded again */
        SHOWN_SETTINGS, /* a text file, which is copied without its credentials: programs replace such files by renaming */
};

struct shown_row {
        const char *path; /* in the home directory */
        enum shown_kind kind;
};

extern const struct shown_row shown_rows[];
extern const size_t shown_count;

#endif
