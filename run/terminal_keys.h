/*
 * The keys of a terminal by their names, as tmux and Emacs have them: "Enter", "Up", "F5", "C-c", "M-x", "a".
 */
#ifndef BAILEY_RUN_TERMINAL_KEYS_H
#define BAILEY_RUN_TERMINAL_KEYS_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends what the terminal sends. `application_cursor`: as the program has asked for (run/screen.h). Returns false if there is
 * no such key. */
bool terminal_key(const char *name, bool application_cursor, struct buf *out);

#endif
