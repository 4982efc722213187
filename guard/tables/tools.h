/*
 * What makes git run code, and what lets a container reach the host.
 */
#ifndef BAILEY_GUARD_TABLES_TOOLS_H
#define BAILEY_GUARD_TABLES_TOOLS_H

#include "guard/tables/options.h"

extern const char *const git_keys[];              /* patterns of keys of git's configuration that make it run something */
extern const char *const git_code_option_names[]; /* options of its sub-commands whose argument is run */

struct container_danger {
        const char *name;
        const char *values; /* dangerous ones; NULL: it takes none; "": a mount */
};

extern const struct container_danger container_dangers[];

struct find_action {
        const char *name;
        enum meaning meaning; /* MEANS_COMMAND: up to ; or + */
};

extern const struct find_action find_actions[]; /* of find(1) */

#endif
