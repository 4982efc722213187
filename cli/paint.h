/*
 * Colours, for the few words that people look for in an answer.
 */
#ifndef BAILEY_CLI_PAINT_H
#define BAILEY_CLI_PAINT_H

#include <stdbool.h>

#include "base/str.h"
#include "format/paint.h"

/* A word, as far as the colon or newline that ends it. NULL ends a table. */
struct paint_row {
        const char *text;
        enum paint paint;
};

/* `when`: "always", "never", or "auto" and NULL, which look at standard output, NO_COLOR and TERM. */
bool paint_wanted(const char *when);

/* Writes to standard output. In the first `lines` lines that are not indented, a word of the table that starts one, or
 * stands behind its first word, gets its colour. */
void paint_write(const char *when, const struct paint_row *table, size_t lines, struct str text);

#endif
