/*
 * Variables for commands without a network. Package managers try again for up to a minute before they report that there is
 * none: these settings make them fail at once, with the reason. What is in their caches, or on localhost, can be installed
 * as before.
 */
#ifndef BAILEY_POLICY_OFFLINE_H
#define BAILEY_POLICY_OFFLINE_H

#include <stddef.h>

struct offline_row {
        const char *name, *value;
        const char *why; /* for the user: "no network: npm does not retry" */
};

extern const struct offline_row offline_rows[];
extern const size_t offline_count;

#endif
