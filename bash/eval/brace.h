/*
 * Brace expansion: a{b,c}d and {1..9..2}, on the parts of a word, before anything else is expanded.
 */
#ifndef BAILEY_SHELL_BRACE_H
#define BAILEY_SHELL_BRACE_H

#include "bash/eval/value.h"

enum {
        BRACE_MAX_WORDS = 1000,
        BRACE_MAX_DEPTH = 40,
};

/* The words that it becomes, linked; the word itself (and nothing else) when it has no braces to expand. NULL when they would
 * be too many, or the work stopped. `next` of the word itself is not looked at. */
const struct word *brace_expand(struct budget *budget, const struct word *word);

struct brace_sequence {
        int64_t first, last, step;
        size_t width; /* zero-padded */
        bool letters;
};

bool brace_sequence_read(struct str text, struct brace_sequence *q);
struct str brace_sequence_member(struct budget *budget, const struct brace_sequence *q, int64_t value);

#endif
