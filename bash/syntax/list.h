/*
 * Every simple command of a script, however deep it stands: in substitutions, subscripts, heredocs, patterns,
 * arithmetic.
 */
#ifndef BAILEY_SHELL_LIST_H
#define BAILEY_SHELL_LIST_H

#include "base/buf.h"
#include "bash/syntax/parse.h"

/* Anything but 0 ends the visit. */
typedef int simple_visit(const struct command *simple, void *data);

/* Those with at least one word, outer before inner; returns what the last visit did. */
int shell_each_simple(const struct script *script, simple_visit *visit, void *data);

/* [[word, ...], ...]: the words of each as they stand in the source, \newline and the escapes of backticks included. */
void shell_commands_json(const struct script *script, struct buf *out);

#endif
