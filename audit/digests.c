#include "audit/digests.h"

#include <stdlib.h>

#include "base/sha256.h"

enum { FIRST_SIZE = 64 };

int digests_init(struct digests *table, size_t max, struct err *err) {
        *table = (struct digests){ .max = max };
        return id_new(table->salt, err);
}

void digests_free(struct digests *table) {
        free(table->slots);
        *table = (struct digests){};
}

struct digest digests_key(const struct digests *table, struct str text) {
        uint8_t bytes[SHA256_SIZE];
        struct digest key;
        struct sha256 sha;

        sha256_init(&sha);
        sha256_add(&sha, str_from(table->salt, sizeof(table->salt)));
        sha256_add(&sha, text);
        sha256_end(&sha, bytes);
        memcpy(&key, bytes, sizeof(key));
        return key;
}

/* Where the key is, or the free slot where it would be. At least a quarter of them is free. */
static size_t place(const struct digests *table, struct digest key) {
        size_t at = key.words[0] & (table->size - 1);

        while (table->slots[at].used && !digest_eq(table->slots[at].key, key))
                at = (at + 1) & (table->size - 1);
        return at;
}

uint64_t *digests_find(const struct digests *table, struct digest key) {
        struct digest_slot *slot = table->size ? &table->slots[place(table, key)] : NULL;

        return slot && slot->used ? &slot->value : NULL;
}

static int grow(struct digests *table, struct err *err) {
        struct digests larger = *table;

        larger.size = table->size ? table->size * 2 : FIRST_SIZE;
        larger.slots = calloc(larger.size, sizeof(*larger.slots));
        if (!larger.slots)
                return err_memory(err);
        for (size_t i = 0; i < table->size; i++)
                if (table->slots[i].used)
                        larger.slots[place(&larger, table->slots[i].key)] = table->slots[i];
        free(table->slots);
        *table = larger;
        return 0;
}

int digests_add(struct digests *table, struct digest key, uint64_t value, struct err *err) {
        if (table->count == table->max)
                return err_set(err, ERR_TOO_COMPLEX, "more than %zu", table->max);
        if (table->count >= table->size / 4 * 3 && grow(table, err) < 0)
                return -1;
        table->slots[place(table, key)] = (struct digest_slot){ .key = key, .value = value, .used = true };
        table->count++;
        return 0;
}

/* No hole may stay between a key's own place and where it is: what comes behind moves up. */
void digests_remove(struct digests *table, struct digest key) {
        size_t mask = table->size - 1, hole, at;

        if (!digests_find(table, key))
                return;
        hole = at = place(table, key);
        for (;;) {
                size_t home;

                at = (at + 1) & mask;
                if (!table->slots[at].used)
                        break;
                home = table->slots[at].key.words[0] & mask;
                if (((at - home) & mask) < ((at - hole) & mask))
                        continue;
                table->slots[hole] = table->slots[at];
                hole = at;
        }
        table->slots[hole].used = false;
        table->count--;
}
