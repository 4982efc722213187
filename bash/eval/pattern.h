/*
 * Shell patterns (* ? [...] and the extended ones), as bash matches them, over bytes. Matching moves a whole set of positions
 * through the pattern at once, so it never backtracks; what it costs is spent from the work and so is bounded.
 */
#ifndef BAILEY_SHELL_PATTERN_H
#define BAILEY_SHELL_PATTERN_H

#include "bash/eval/value.h"

enum pattern_flag {
        PATTERN_EXTGLOB = 1, /* ?(a|b) and its kin are special */
        PATTERN_NOCASE = 2,
        PATTERN_PATH = 4, /* as file names match: nothing but a slash matches a slash */
        PATTERN_MAY = 8,  /* what is unknown may match anything; without this an unknown piece makes the answer MAYBE */
};

struct pattern {
        const struct pattern *next; /* the alternative after it, inside a group */
        struct pattern_node *nodes;
        size_t count;
        unsigned flags;
        bool wild;    /* has ? [...] or a group: speaks of characters, not only of bytes */
        bool ascii;   /* every byte in it is ASCII */
        bool unknown; /* part of it is not known, or too strange for us */
        bool odd;     /* has [!]...]: ${x/p/w} in bash finds no match for that where there is one */
};

/* The `quoted` pieces of the value mean only themselves. NULL when the work stopped. */
struct pattern *pattern_compile(struct budget *budget, struct value value, unsigned flags);

/* Does it match all of the text? */
enum truth pattern_match(struct budget *budget, const struct pattern *pattern, struct str text);

/* The shortest or longest beginning (or end) of the text that matches. NO: none does. */
enum truth pattern_match_prefix(struct budget *budget, const struct pattern *pattern, struct str text, bool longest,
                                size_t *ret_length);
enum truth pattern_match_suffix(struct budget *budget, const struct pattern *pattern, struct str text, bool longest,
                                size_t *ret_length);

/* ${text/pattern/...}: the places to replace, as start and end offsets, leftmost and longest first. */
struct pattern_span {
        size_t start, end;
};
enum truth pattern_find(struct budget *budget, const struct pattern *pattern, struct str text, bool all,
                        struct pattern_span **ret_spans, size_t *ret_count);

/* Does an unquoted part of the value hold something that bash would take for a glob? */
bool pattern_is_glob(struct value value, bool extglob);

/* Bytes before the first one that is unknown or special. */
size_t pattern_literal_prefix(const struct piece *piece, bool extglob);

#endif
