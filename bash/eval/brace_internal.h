/* What brace.c and brace_words.c share. */
#ifndef BAILEY_SHELL_BRACE_INTERNAL_H
#define BAILEY_SHELL_BRACE_INTERNAL_H

#include "bash/eval/brace.h"

enum { UNIT_PART = 0x100, NOWHERE = -1 };

struct slice {
        int32_t start, end; /* of the flat word */
        struct str made;    /* a member of {1..9}, when start < 0 */
};

/* One word that is being put together. */
struct strand {
        struct slice *slices;
        size_t count;
};

struct strands {
        struct strand *items;
        size_t count;
};

struct brace {
        struct budget *budget;
        uint16_t *units;
        const struct part **parts; /* the part that each unit is of */
        int32_t *offsets;          /* and where in its text */
        int32_t count;
        int32_t *closing; /* of each {, or NOWHERE */
        bool failed, expanded;
};

const struct word *brace_make_words(struct brace *b, const struct word *word, struct strands all);

#endif
