/*
 * Verifies that every record is unchanged and follows the record that it names. Anyone who can write the files can rewrite all
 * of them, and can cut off the end: the chain detects accidental and careless changes, and, compared with a hash that was saved
 * elsewhere, all changes.
 */
#ifndef BAILEY_AUDIT_VERIFY_H
#define BAILEY_AUDIT_VERIFY_H

#include "audit/read.h"
#include "base/id.h"

struct audit_check {
        uint64_t records, repairs;
        size_t files;
        bool from_start;        /* the first record of all exists; else it was rotated away */
        struct chain_hash last; /* of the last record */
        const char *problem;    /* NULL: none. Else the first one, and where: */
        int number;             /* of the file: path.N */
        uint64_t line;
        char id[ID_SIZE]; /* of the record; empty when it cannot be read */
        bool torn;        /* the last line is unfinished, and the next writer will close it */
        uint64_t torn_bytes;
};

/* `keep`: how many older files there should be before the first one is dropped; used if the records do not say. */
int audit_verify(struct audit_reader *reader, int64_t keep, struct audit_check *ret, struct err *err);

#endif
