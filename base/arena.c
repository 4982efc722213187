#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

struct arena_chunk {
        struct arena_chunk *older;
        size_t size; /* of data */
        max_align_t data[];
};

enum { CHUNK_FIRST = 8 << 10, CHUNK_MAX = 128 << 10, ROOM_FIRST = 16 };

void arena_init(struct arena *arena, size_t limit) {
        *arena = (struct arena){ .limit = limit ? limit : ARENA_LIMIT_DEFAULT };
}

/* No chunk is ever added, as the limit is used up from the start. */
void arena_init_fixed(struct arena *arena, void *memory, size_t size) {
        *arena = (struct arena){ .next = memory, .end = (char *)memory + size };
}

static void chunks_free(struct arena_chunk *chunk, struct arena_chunk *until, struct arena *arena) {
        while (chunk != until) {
                struct arena_chunk *older = chunk->older;
                arena->reserved -= sizeof(*chunk) + chunk->size;
                free(chunk);
                chunk = older;
        }
}

void arena_free(struct arena *arena) {
        chunks_free(arena->chunk, NULL, arena);
        arena_init(arena, arena->limit);
}

void arena_reset(struct arena *arena) {
        struct arena_chunk *keep = arena->chunk;

        for (struct arena_chunk *c = keep; c; c = c->older)
                if (c->size > keep->size)
                        keep = c;
        for (struct arena_chunk *c = arena->chunk, *older; c; c = older) {
                older = c->older;
                if (c != keep)
                        chunks_free(c, older, arena);
        }
        arena->chunk = keep;
        arena->used = 0;
        arena->failed = false;
        if (keep) {
                keep->older = NULL;
                arena->next = (char *)keep->data;
                arena->end = arena->next + keep->size;
        }
}

/* Chunks double up to CHUNK_MAX, so that small requests stay small and large ones waste little. The last one before the
 * limit takes what is left. */
static bool arena_grow(struct arena *arena, size_t need) {
        size_t size = arena->chunk ? arena->chunk->size * 2 : CHUNK_FIRST;
        size_t left = arena->limit - arena->reserved;
        struct arena_chunk *chunk;

        if (left < sizeof(*chunk) || left - sizeof(*chunk) < need)
                return false;
        left -= sizeof(*chunk);
        if (size > CHUNK_MAX)
                size = CHUNK_MAX;
        if (size < need)
                size = need;
        if (size > left)
                size = left;
        chunk = malloc(sizeof(*chunk) + size);
        if (!chunk)
                return false;
        chunk->older = arena->chunk;
        chunk->size = size;
        arena->chunk = chunk;
        arena->next = (char *)chunk->data;
        arena->end = arena->next + size;
        arena->reserved += sizeof(*chunk) + size;
        return true;
}

static void *fail(struct arena *arena) {
        arena->failed = true;
        return NULL;
}

char *arena_bytes(struct arena *arena, size_t size) {
        char *p;

        if (size > (size_t)(arena->end - arena->next) && !arena_grow(arena, size))
                return fail(arena);
        p = arena->next;
        if (!p) /* a request for nothing, before the first chunk */
                return arena_grow(arena, 1) ? arena->next : fail(arena);
        arena->next += size;
        arena->used += size;
        return p;
}

void *arena_alloc(struct arena *arena, size_t size) {
        const size_t align = ARENA_ALIGN;
        size_t pad = -(uintptr_t)arena->next & (align - 1);
        char *p;

        if (size > SIZE_MAX - 2 * align)
                return fail(arena);
        size = (size + align - 1) & ~(align - 1);
        if (size + pad <= (size_t)(arena->end - arena->next))
                arena_bytes(arena, pad);
        else if (!arena_grow(arena, size)) /* also where it would fit without the padding */
                return fail(arena);
        p = arena_bytes(arena, size); /* a fresh chunk is aligned */
        return p ? memset(p, 0, size) : NULL;
}

char *arena_dup(struct arena *arena, struct str s) {
        char *p = s.len < SIZE_MAX ? arena_bytes(arena, s.len + 1) : fail(arena);

        if (!p)
                return NULL;
        if (s.len)
                memcpy(p, s.ptr, s.len);
        p[s.len] = '\0';
        return p;
}

bool arena_room(struct arena *arena, void *items, size_t count, size_t *room, size_t size) {
        size_t more = *room ? *room * 2 : ROOM_FIRST;
        void *old, *larger;

        if (count < *room)
                return true;
        larger = more <= SIZE_MAX / size ? arena_alloc(arena, more * size) : fail(arena);
        if (!larger)
                return false;
        memcpy(&old, items, sizeof(old));
        if (count)
                memcpy(larger, old, count * size);
        memcpy(items, &larger, sizeof(larger));
        *room = more;
        return true;
}

struct arena_mark arena_mark(const struct arena *arena) {
        return (struct arena_mark){ arena->chunk, arena->next, arena->used };
}

void arena_rewind(struct arena *arena, struct arena_mark mark) {
        chunks_free(arena->chunk, mark.chunk, arena);
        arena->chunk = mark.chunk;
        arena->next = mark.next;
        arena->end = mark.chunk ? (char *)mark.chunk->data + mark.chunk->size : NULL;
        arena->used = mark.used;
}
