/*
 * The beginning of an audit file. The first record of all has no predecessor; the first record of any later file says how many
 * older files there were, so that removed files are detected.
 */
#ifndef BAILEY_AUDIT_BEGINNING_H
#define BAILEY_AUDIT_BEGINNING_H

#include "audit/chain.h"
#include "base/err.h"
#include "base/id.h"

struct audit_beginning {
        bool found; /* a record that is right, which the following is of: */
        uint64_t line;
        char id[ID_SIZE];
        bool genesis;
        bool marked;       /* it says: */
        int64_t older;     /* so many older files there were */
        bool after_unsaid; /* the one before it says nothing: a version wrote it that did not */
};

/* `size`: of the file. Looks at a bounded part of it. */
int audit_beginning_read(int fd, uint64_t size, struct audit_beginning *ret, struct err *err);

/* To the fields of a record that is the first one of its file. */
void audit_beginning_mark(struct buf *body, size_t older, bool after_unsaid);

#endif
