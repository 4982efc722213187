/*
 * What a walk over a script shows, as JSON, for people and for tests.
 */
#ifndef BAILEY_SHELL_EXPAND_DUMP_H
#define BAILEY_SHELL_EXPAND_DUMP_H

#include "base/buf.h"
#include "bash/eval/walk.h"

/* An array with an object for each command, in the order of execution. */
enum walk_end shell_expand_json(const struct script *script, struct buf *out, struct arena *arena);

#endif
