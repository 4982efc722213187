/*
 * The size of a home of a workspace. The time of measuring depends on the number of files, so it is done rarely, beside the
 * commands, and the result is kept in the layer: BASE/NAME/size.
 */
#ifndef BAILEY_HOME_USAGE_H
#define BAILEY_HOME_USAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct home_usage {
        uint64_t bytes;   /* on the disk; a file with several names counts once */
        uint64_t entries; /* files, directories, everything */
        bool complete;    /* false: it is more, as something could not be read, or not in time */
        int64_t when;     /* it was measured; realtime, in seconds. 0: never */
        int64_t took;     /* milliseconds */
};

/* Holds the layer of a command that is about to run, so that it is not removed. Returns 1: it no longer exists. */
int home_hold(const char *layer, int *ret_fd, struct err *err);

/* The last measurement. Costs the same however large the home is. */
void home_usage_recall(int layer, struct home_usage *ret);

/* Is it old enough to measure again? `when` of a home that was never measured is when it was made. */
bool home_usage_is_due(int layer, const struct home_usage *last);

/* Measures until the deadline (monotonic). Allocates nothing, as the next one. */
void home_usage_measure(int layer, int64_t deadline, struct home_usage *ret);

/* Keeps it for others. False: another process measures, or the home is being removed. */
bool home_usage_measure_and_keep(int layer, int64_t deadline, struct home_usage *ret);

/* The text of `size`; of anything else false. */
bool home_usage_read(const char *text, struct home_usage *ret);

#endif
