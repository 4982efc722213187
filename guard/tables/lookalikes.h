/*
 * Characters that look like others, or like nothing.
 */
#ifndef BAILEY_GUARD_TABLES_LOOKALIKES_H
#define BAILEY_GUARD_TABLES_LOOKALIKES_H

#include <stdint.h>

struct lookalike {
        uint32_t first, last;
        const char *what; /* NULL ends the table */
};

extern const struct lookalike lookalikes[];

#endif
