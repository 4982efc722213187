/*
 * The tree to look at. Both only append to `out`.
 */
#ifndef BAILEY_SHELL_DUMP_H
#define BAILEY_SHELL_DUMP_H

#include "base/buf.h"
#include "bash/syntax/parse.h"

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

#endif
