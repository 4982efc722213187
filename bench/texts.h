/*
 * The commands that are judged and parsed: as agents type them, or of a file with a {"command": "..."} per line. And texts that
 * are made to be slow: something repeated until it is as long as it should be.
 */
#ifndef BAILEY_BENCH_TEXTS_H
#define BAILEY_BENCH_TEXTS_H

#include "base/arena.h"
#include "base/buf.h"

enum { TEXTS_MAX = 256 << 20 }; /* bytes of a file */

struct texts {
        struct str *list;
        size_t count, capacity;
};

/* Those of the file, if there is one. */
void texts_load(struct texts *texts, const char *file, struct arena *arena);

/* The slow one of that number, of `size` bytes, and what to call it; NULL past the last one. */
const char *texts_slow(size_t number, size_t size, struct buf *out);

#endif
