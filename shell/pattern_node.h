/* What pattern.c builds and pattern_match.c runs. */
#ifndef BAILEY_SHELL_PATTERN_GLOB_H
#define BAILEY_SHELL_PATTERN_GLOB_H

#include "shell/pattern.h"

enum pattern_node_kind {
        GLOB_BYTE,
        GLOB_ANY,      /* ? */
        GLOB_STAR,     /* * */
        GLOB_SET,      /* [...] */
        GLOB_GROUP,    /* ?(...) *(...) +(...) @(...) !(...) */
        GLOB_ANYTHING, /* an unknown piece */
};

struct pattern_set {
        uint64_t bits[4];
};

struct pattern_node {
        uint8_t kind;
        unsigned char byte;
        char op; /* GROUP */
        union {
                const struct pattern_set *set;
                const struct pattern *group;
        };
};

#endif
