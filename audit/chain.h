/*
 * The shape of a record in the file, and the chain through them. A record is a line:
 *
 *   {"prev":"<hash of the record before>", ... ,"hash":"<SHA-256 of the line's bytes before ,"hash">"}
 *
 * Both hashes are at fixed positions, so that the chain is continued and checked without parsing JSON; a JSON string cannot
 * contain what looks like the end of a record, because its quotes are escaped.
 */
#ifndef BAILEY_AUDIT_CHAIN_H
#define BAILEY_AUDIT_CHAIN_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "base/sha256.h"

#define CHAIN_HEAD "{\"prev\":\""
#define CHAIN_TAIL ",\"hash\":\""

enum {
        CHAIN_LINE_MAX = 1 << 20, /* bytes of a record, newline included; no record that is written is longer */
        CHAIN_TAIL_SIZE = sizeof(CHAIN_TAIL) - 1 + SHA256_HEX_SIZE - 1 + 2,
};

/* The previous hash of the first record of all. */
struct chain_hash {
        char hex[SHA256_HEX_SIZE];
};
extern const struct chain_hash chain_genesis;

/* Appends the line of a record whose fields are `body` (`"kind":"intent",...`) and `more` (`,...`), newline included. */
void chain_seal(const struct chain_hash *prev, struct str body, struct str more, struct buf *ret_line,
                struct chain_hash *ret_hash);

enum chain_state {
        CHAIN_RIGHT,
        CHAIN_TORN,    /* does not end as a record does */
        CHAIN_CHANGED, /* does not have the hash that it says */
};

/* Fills both only when the line is right. */
enum chain_state chain_look(struct str line, struct chain_hash *ret_prev, struct chain_hash *ret_hash);

/*
 * The end of a file of records: where the chain goes on, and what a killed writer left there.
 */

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

/*
 * The beginning of an audit file. The first record of all has no predecessor; the first record of any later file says how many
 * older files there were, so that removed files are detected.
 */

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
