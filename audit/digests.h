/*
 * A table from texts to numbers that keeps no text: only a salted hash of each, so that chosen texts cannot make the
 * table slow. Bounded.
 */
#ifndef BAILEY_AUDIT_DIGESTS_H
#define BAILEY_AUDIT_DIGESTS_H

#include <stdint.h>

#include "base/err.h"
#include "base/id.h"
#include "base/str.h"

struct digest {
        uint64_t words[2];
};

struct digest_slot {
        struct digest key;
        uint64_t value;
        bool used;
};

struct digests {
        struct digest_slot *slots;
        size_t size, count, max; /* size: a power of two, or 0 */
        char salt[ID_SIZE];
};

int digests_init(struct digests *table, size_t max, struct err *err);
void digests_free(struct digests *table);

struct digest digests_key(const struct digests *table, struct str text);

/* Returns the number of a text, valid until the next call; NULL: not in the table. */
uint64_t *digests_find(const struct digests *table, struct digest key);

/* Adds a text that is not there. Fails past the maximum, or without memory. */
int digests_add(struct digests *table, struct digest key, uint64_t value, struct err *err);

void digests_remove(struct digests *table, struct digest key);

static inline bool digest_eq(struct digest a, struct digest b) {
        return a.words[0] == b.words[0] && a.words[1] == b.words[1];
}

#endif
