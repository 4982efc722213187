/*
 * Which parts of the user's home directory commands find in a home of their own, defined once. Everything else of it is not
 * there, so that a place that this table does not know is private.
 */
#ifndef BAILEY_HOME_SHOWN_H
#define BAILEY_HOME_SHOWN_H

#include <stddef.h>

enum shown_kind {
        SHOWN_TOOLS,    /* a directory of programs and what they need */
        SHOWN_CACHE,    /* a directory that holds what can be downloaded again */
        SHOWN_SETTINGS, /* a text file, which is copied without its credentials: programs replace such files by renaming */
};

struct shown_row {
        const char *path; /* in the home directory */
        enum shown_kind kind;
};

extern const struct shown_row shown_rows[];
extern const size_t shown_count;

#endif
