/*
 * The newest records in memory. Bounded in number and in bytes: a long command takes the place of several short ones.
 */
#ifndef BAILEY_AUDIT_RING_H
#define BAILEY_AUDIT_RING_H

#include "base/buf.h"

enum { RING_BYTES_MAX = 8 << 20 };

struct audit_ring {
        struct str *items; /* `size` of them, made with the first record */
        size_t size, first, count, bytes;
};

void audit_ring_init(struct audit_ring *ring, size_t size);
void audit_ring_free(struct audit_ring *ring);

/* Keeps a copy. Without memory the record is not kept. */
void audit_ring_add(struct audit_ring *ring, struct str record);

/* The newest `count` of those that begin like that, a line each, the oldest of them first. */
void audit_ring_lines(const struct audit_ring *ring, struct str beginning, size_t count, struct buf *out);

/* A JSON array of the newest `count`, the oldest of them first. */
void audit_ring_json(const struct audit_ring *ring, size_t count, struct buf *out);

#endif
