/*
 * Memory with one lifetime: everything allocated from an arena is freed together. The one allocator of a request.
 * It has a limit, so that no input can make it grow without bound; past it, allocation returns NULL, and `failed` says so to
 * whoever must not take a result for complete.
 */
#ifndef BAILEY_BASE_ARENA_H
#define BAILEY_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct arena_chunk;

struct arena {
        struct arena_chunk *chunk; /* the newest; older ones hang behind it */
        char *next, *end;          /* free space in the newest chunk */
        size_t used;               /* bytes handed out, padding included */
        size_t reserved;           /* bytes taken from malloc */
        size_t limit;              /* `reserved` never exceeds this */
        bool failed;               /* something was not allocated since arena_init(), arena_reset() or arena_free() */
};

/* Nothing is allocated until the first use. limit 0 means ARENA_LIMIT_DEFAULT. */
#define ARENA_LIMIT_DEFAULT ((size_t)256 << 20)
void arena_init(struct arena *arena, size_t limit);
void arena_free(struct arena *arena);

/* One that has only this memory, aligned for anything, and never takes more: for where nothing may be allocated. */
void arena_init_fixed(struct arena *arena, void *memory, size_t size);

/* Forgets everything but keeps the largest chunk, for a loop that serves many requests. */
void arena_reset(struct arena *arena);

/* Zeroed, aligned for pointers and 64-bit integers; NULL past the limit or without memory. */
enum { ARENA_ALIGN = 8 };
void *arena_alloc(struct arena *arena, size_t size);

/* Uninitialised bytes, no alignment; NULL as above. */
char *arena_bytes(struct arena *arena, size_t size);

/* A NUL-terminated copy. */
char *arena_dup(struct arena *arena, struct str s);

/* Room for one more behind `count` items of `size` bytes, of which an array in this arena has `room`: if that is all used, the
 * array is copied to twice as much. `items` points to the pointer to it, which is NULL at first. False: as above. */
bool arena_room(struct arena *arena, void *items, size_t count, size_t *room, size_t size);

/* A place to come back to: what was allocated after the mark is given back. */
struct arena_mark {
        struct arena_chunk *chunk;
        char *next;
        size_t used;
};
struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))

static inline void arena_cleanup(struct arena *arena) {
        arena_free(arena);
}
#define ARENA_AUTO __attribute__((cleanup(arena_cleanup))) struct arena

#endif
