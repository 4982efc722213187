/*
 * Which characters plain text may hold. For run/terminal_text.c.
 */
#ifndef BAILEY_RUN_TERMINAL_CHARS_H
#define BAILEY_RUN_TERMINAL_CHARS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* ASCII that is shown as it is. */
static inline bool terminal_is_text(unsigned char c) {
        return (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
}

/* Bytes at the beginning that are shown as they are: whole characters. */
size_t terminal_clean_run(struct str s);

/* Both of one character, which it has been found to be. Hidden: not seen, or changes how others are. */
uint32_t terminal_code_point(struct str character);
bool terminal_hidden(struct str character);

/* Returns true if up to four bytes may be the start of a character. */
bool terminal_may_become_utf8(struct str bytes);

#endif
