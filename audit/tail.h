/*
 * The end of a file of records: where the chain goes on, and what a killed writer left there.
 */
#ifndef BAILEY_AUDIT_TAIL_H
#define BAILEY_AUDIT_TAIL_H

#include <stdint.h>

#include "audit/chain.h"
#include "base/err.h"

struct audit_tail {
        bool found; /* a whole record, whose hash this is: */
        struct chain_hash last;
        bool torn;           /* something is to be closed: */
        bool newline;        /* with a newline, as the last byte is none */
        uint64_t torn_bytes; /* behind the last whole record, but for a newline at the end */
        char torn_sha256[SHA256_HEX_SIZE];
};

/* `size`: of the file. Looks at a bounded part of it; fails when there is no whole record in that, but something else before.
 */
int audit_tail_read(int fd, uint64_t size, struct audit_tail *ret, struct err *err);

#endif
