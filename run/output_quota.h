/*
 * How much of a command's output is passed on, stdout and stderr together. The rest is read and dropped, so that the command
 * goes on and ends as it would.
 */
#ifndef BAILEY_RUN_OUTPUT_QUOTA_H
#define BAILEY_RUN_OUTPUT_QUOTA_H

#include <stddef.h>
#include <stdint.h>

struct output_quota {
        int64_t limit; /* bytes; 0: none */
        uint64_t passed, dropped;
};

/* Of the next `count` bytes, returns how many are passed on. */
static inline size_t output_quota_take(struct output_quota *quota, size_t count) {
        uint64_t left = (uint64_t)quota->limit - quota->passed;

        if (quota->limit && count > left) {
                quota->dropped += count - left;
                count = (size_t)left;
        }
        quota->passed += count;
        return count;
}

#endif
