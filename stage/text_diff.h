/*
 * The lines in which two texts differ, as `diff -u` writes them.
 */
#ifndef BAILEY_STAGE_TEXT_DIFF_H
#define BAILEY_STAGE_TEXT_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Is it shown by its size only? */
bool text_is_binary(struct str text);

/* Appends the hunks; nothing if the texts are the same. How many lines were added and removed is counted. Texts that are too
 * different for their size are a single hunk. */
struct text_diff {
        size_t added, removed;
};
int text_diff(struct str before, struct str after, struct arena *arena, struct text_diff *ret, struct buf *out,
              struct err *err);

#endif
