/*
 * Characters: what a few bytes of UTF-8 stand for, and which of them people would not see.
 */
#ifndef BAILEY_BASE_RUNE_H
#define BAILEY_BASE_RUNE_H

#include <stdint.h>

#include "base/str.h"

enum { RUNE_REPLACEMENT = 0xfffd };

/* The character that `s`, which is not empty, starts with, and how many bytes it has: RUNE_REPLACEMENT and 1 when that is no
 * UTF-8. */
uint32_t rune_first(struct str s, size_t *ret_size);

/* Controls, marks of direction, what has no width or looks like a space, and what no font has: text with them in it is not
 * what it looks like. */
bool rune_unseen(uint32_t rune);

#endif
