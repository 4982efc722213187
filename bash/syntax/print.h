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
#include "bash/syntax/parse.h"

/* No newline at the end, unless a heredoc's delimiter is the last line. */
void shell_print(struct str source, const struct command *list, struct buf *out);

/* One word, as shell_print() would. */
void shell_print_word(struct str source, const struct word *word, struct buf *out);

/*
 * The tree, to look at. Both only append to `out`.
 */

/* For people: a line per node, indented, with its bytes' place in the source; the error, if any, last. */
void shell_dump_tree(const struct script *script, struct buf *out);

/*
 * For programs: {"ok": bool, "error": {...}, "commands": [node...]}. A node has "kind", "range" [start, end) in bytes,
 * what its kind adds, and its children under the names of their roles (bash/syntax/visit.h). What is absent is false, empty
 * or none.
 */
void shell_dump_json(const struct script *script, struct buf *out);

/* {"kind", "line", "column", "offset", "message"} */
void shell_error_json(const struct syntax_error *error, struct buf *out);

/*
 * Every simple command of a script, however deep it stands: in substitutions, subscripts, heredocs, patterns,
 * arithmetic.
 */

/* Anything but 0 ends the visit. */
typedef int simple_visit(const struct command *simple, void *data);

/* Those with at least one word, outer before inner; returns what the last visit did. */
int shell_each_simple(const struct script *script, simple_visit *visit, void *data);

/* [[word, ...], ...]: the words of each as they stand in the source, \newline and the escapes of backticks included. */
void shell_commands_json(const struct script *script, struct buf *out);

#endif
