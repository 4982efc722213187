/*
 * Colours, for the few words that people look for in an answer.
 */
#ifndef BAILEY_FORMAT_PAINT_H
#define BAILEY_FORMAT_PAINT_H

#include "base/buf.h"

enum paint { PAINT_NONE, PAINT_GOOD, PAINT_DOUBTFUL, PAINT_BAD };

/* Writes the text, in its colour if colours are wanted. */
void paint_put(struct buf *out, bool colors, enum paint paint, const char *text);

#endif
