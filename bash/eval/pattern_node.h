/* What pattern.c builds, pattern_match.c runs, and pattern_find.c searches with. */
#ifndef BAILEY_SHELL_PATTERN_GLOB_H
#define BAILEY_SHELL_PATTERN_GLOB_H

#include "bash/eval/pattern.h"

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

/* ---- running: pattern_match.c ---- */

/* Bit i: position i, from 0 to the length of the text. All bits outside the words first..last are zero. */
struct positions {
        uint64_t *words;
        size_t first, last; /* first > last: none */
};

struct matcher {
        struct budget *budget;
        struct str text;
        size_t words;
        unsigned flags;
};

struct positions positions_none(struct matcher *m);
bool positions_is_none(const struct positions *set);
void positions_add(struct positions *set, size_t pos);
void positions_clear(struct positions *set);
size_t positions_next(const struct positions *set, size_t pos);
size_t positions_last(const struct positions *set);
bool matcher_takes(const struct matcher *m, const struct pattern_node *node, unsigned char c);
bool matcher_run(struct matcher *m, const struct pattern *pattern, const struct positions *from, struct positions *to);
struct pattern *pattern_reverse(struct budget *budget, const struct pattern *pattern);
struct str pattern_reverse_text(struct budget *budget, struct str text);
bool pattern_can_tell(const struct pattern *pattern, struct str text);
struct matcher matcher_new(struct budget *budget, const struct pattern *pattern, struct str text);
bool matcher_ends(struct matcher *m, const struct pattern *pattern, size_t start, struct positions *ends);

#endif
