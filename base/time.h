/*
 * The two clocks, in nanoseconds, and how a time is written.
 */
#ifndef BAILEY_BASE_TIME_H
#define BAILEY_BASE_TIME_H

#include <stdint.h>

#define TIME_SECOND INT64_C(1000000000)

/* Since some moment in the past, never backwards: for deadlines and durations. */
int64_t time_monotonic(void);

/* Until a deadline (monotonic; 0: none), as poll() takes it, rounded up so that it has passed then; -1: for ever. */
int time_left_ms(int64_t deadline);

/* Since 1970-01-01T00:00:00Z: for records. */
int64_t time_realtime(void);

enum { TIME_TEXT_SIZE = sizeof("1970-01-01T00:00:00.000Z") };

/* RFC 3339, in UTC, cut to milliseconds; all texts have the same length and sort like the times. */
void time_format(int64_t realtime, char ret_text[static TIME_TEXT_SIZE]);

#endif
