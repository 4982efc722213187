/*
 * Whether an answer has colours: format/paint.h.
 */
#ifndef BAILEY_CLI_PAINT_H
#define BAILEY_CLI_PAINT_H

#include <stdbool.h>

/* `when`: "always", "never", or "auto" and NULL, which look at standard output, NO_COLOR and TERM. */
bool paint_wanted(const char *when);

#endif
