/*
 * What would change in a text, for people.
 */
#ifndef BAILEY_HOOK_DIFF_H
#define BAILEY_HOOK_DIFF_H

#include "base/buf.h"

/* The lines that go and those that come, with some around them. */
void diff_write(struct str before, struct str after, struct buf *out);

#endif
