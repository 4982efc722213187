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

#include "base/buf.h"
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

/* Returns true if `line`, without its newline, ends as a record does; then it is not a part of one. */
bool chain_ends(struct str line, struct chain_hash *ret_hash);

enum chain_state {
        CHAIN_RIGHT,
        CHAIN_TORN,    /* does not end as a record does */
        CHAIN_CHANGED, /* does not have the hash that it says */
};

/* Fills both only when the line is right. */
enum chain_state chain_look(struct str line, struct chain_hash *ret_prev, struct chain_hash *ret_hash);

#endif
