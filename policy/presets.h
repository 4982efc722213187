/*
 * Lists of hosts with a name: "@github" in sandbox.network.hosts stands for all hosts of that row. A table.
 */
#ifndef BAILEY_POLICY_PRESETS_H
#define BAILEY_POLICY_PRESETS_H

#include "base/str.h"

struct preset_row {
        const char *name; /* "@github" */
        const char *help;
        const char *const *hosts; /* entries as in sandbox.network.hosts, but no presets; ends with NULL */
};

extern const struct preset_row presets[];
extern const size_t preset_count;

/* NULL: there is none. */
const struct preset_row *preset_find(struct str name);

#endif
