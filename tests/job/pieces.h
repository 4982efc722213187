/*
 * For tests of streams: pieces of any size, the same in every run, and a place to collect what comes out.
 */
#ifndef BAILEY_TESTS_JOB_PIECES_H
#define BAILEY_TESTS_JOB_PIECES_H

#include "base/buf.h"
#include "tests/test.h"

static uint64_t seed = 88172645463325252;

static inline size_t any(size_t below) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        return seed % below;
}

/* Never called for nothing. */
static inline void take(void *context, struct str bytes) {
        assert_true(bytes.len > 0);
        buf_append(context, bytes);
}

#endif
