/*
 * Paths as they stand in what programs print: absolute, with ~, relative to the workspace, in quotes of all sorts.
 */
#ifndef BAILEY_RUN_EXPLAIN_PATH_H
#define BAILEY_RUN_EXPLAIN_PATH_H

#include "run/explain.h"

/* Returns true if the line contains the path, or one below it. */
bool explain_names(const struct explain_input *in, struct str line, struct str path);

/* The next absolute path on the line from *at on: true with *at where it begins. One at the very beginning does not count: it
 * is the program that prints the message (/usr/bin/install: ...), or the file in which grep found the text. */
bool explain_next_path(struct str line, size_t *at);

/* Returns true if the text begins with this path or one below it. */
bool explain_is_under(struct str text, struct str path);

/* Returns the path, up to its probable end. */
struct str explain_path_text(struct str text);

#endif
