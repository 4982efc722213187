/*
 * The tree as bash text again, in one style: on one line, except where a heredoc's body has to follow or `shopt` has to
 * take effect first. What is printed parses to the same tree (places in the source aside). It is made from the tree, so
 * that reading it again checks the parser; the source serves only where the tree does not hold the text: substitutions
 * with an error inside (part->soft_error), expansions in a heredoc's delimiter.
 */
#ifndef BAILEY_SHELL_PRINT_H
#define BAILEY_SHELL_PRINT_H

#include "base/buf.h"
#include "bash/syntax/ast.h"

/* No newline at the end, unless a heredoc's delimiter is the last line. */
void shell_print(struct str source, const struct command *list, struct buf *out);

/* One word, as shell_print() would. */
void shell_print_word(struct str source, const struct word *word, struct buf *out);

#endif
