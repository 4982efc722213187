#include "audit/ring.h"

#include <stdlib.h>

void audit_ring_init(struct audit_ring *ring, size_t size) {
        *ring = (struct audit_ring){ .size = size };
}

static void drop_oldest(struct audit_ring *ring) {
        struct str *oldest = &ring->items[ring->first];

        ring->bytes -= oldest->len;
        free((char *)oldest->ptr);
        *oldest = (struct str){};
        ring->first = (ring->first + 1) % ring->size;
        ring->count--;
}

void audit_ring_free(struct audit_ring *ring) {
        while (ring->count)
                drop_oldest(ring);
        free(ring->items);
        audit_ring_init(ring, ring->size);
}

void audit_ring_add(struct audit_ring *ring, struct str record) {
        char *copy;

        if (!ring->items)
                ring->items = calloc(ring->size, sizeof(*ring->items));
        if (!ring->items || record.len > RING_BYTES_MAX)
                return;
        while (ring->count && (ring->count == ring->size || ring->bytes + record.len > RING_BYTES_MAX))
                drop_oldest(ring);
        copy = malloc(record.len ? record.len : 1);
        if (!copy)
                return;
        if (record.len)
                memcpy(copy, record.ptr, record.len);
        ring->items[(ring->first + ring->count++) % ring->size] = str_from(copy, record.len);
        ring->bytes += record.len;
}

static struct str item_at(const struct audit_ring *ring, size_t index) {
        return ring->items[(ring->first + index) % ring->size];
}

void audit_ring_lines(const struct audit_ring *ring, struct str beginning, size_t count, struct buf *out) {
        size_t from = ring->count;

        for (size_t found = 0; from > 0 && found < count; from--)
                found += str_starts(item_at(ring, from - 1), beginning);
        for (; from < ring->count; from++) {
                if (!str_starts(item_at(ring, from), beginning))
                        continue;
                buf_append(out, item_at(ring, from));
                buf_char(out, '\n');
        }
}

void audit_ring_json(const struct audit_ring *ring, size_t count, struct buf *out) {
        size_t shown = count < ring->count ? count : ring->count;

        buf_char(out, '[');
        for (size_t i = ring->count - shown; i < ring->count; i++) {
                buf_append(out, item_at(ring, i));
                if (i + 1 < ring->count)
                        buf_append(out, STR(",\n"));
        }
        buf_char(out, ']');
}
