#include "base/time.h"

#include <stdio.h>
#include <time.h>

static int64_t clock_now(clockid_t id) {
        struct timespec now = { 0 };

        clock_gettime(id, &now); /* fails only for a clock that does not exist */
        return (int64_t)now.tv_sec * TIME_SECOND + now.tv_nsec;
}

int64_t time_monotonic(void) {
        return clock_now(CLOCK_MONOTONIC);
}

int time_left_ms(int64_t deadline) {
        const int64_t most = INT64_C(1000000), a_millisecond = TIME_SECOND / 1000;
        int64_t left = deadline ? deadline - time_monotonic() : -1;

        if (deadline == 0)
                return -1;
        left = left <= 0 ? 0 : (left + a_millisecond - 1) / a_millisecond;
        return (int)(left < most ? left : most);
}

int64_t time_realtime(void) {
        return clock_now(CLOCK_REALTIME);
}

/* The day of the Gregorian calendar that is `days` after 1970-01-01. gmtime_r() would read /etc/localtime first, at every start
 * of the program. Years begin in March here, so that the day that is not in all of them is the last. */
static void date_of(int64_t days, int ret[static 3]) {
        int64_t since_0000 = days + 719468; /* from 0000-03-01 on */
        int64_t era = (since_0000 >= 0 ? since_0000 : since_0000 - 146096) / 146097, day = since_0000 - era * 146097;
        int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
        int64_t of_year = day - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;

        ret[0] = (int)(year + era * 400 + (month >= 10));
        ret[1] = (int)(month < 10 ? month + 3 : month - 9);
        ret[2] = (int)(of_year - (153 * month + 2) / 5 + 1);
}

/* C rounds towards zero, dates round down. */
static int64_t divide_down(int64_t value, int64_t by, int64_t *ret_rest) {
        int64_t rest = value % by;

        *ret_rest = rest < 0 ? rest + by : rest;
        return (value - *ret_rest) / by;
}

void time_format(int64_t realtime, char ret_text[static TIME_TEXT_SIZE]) {
        int64_t rest, second, seconds = divide_down(realtime / 1000000 - (realtime % 1000000 < 0), 1000, &rest);
        int date[3]; /* 64 bits of nanoseconds end in 1677 and 2262: years have four digits */

        date_of(divide_down(seconds, 86400, &second), date);
        snprintf(ret_text, TIME_TEXT_SIZE, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", (unsigned)date[0] % 10000,
                 (unsigned)date[1] % 100, (unsigned)date[2] % 100, (unsigned)(second / 3600) % 100,
                 (unsigned)(second / 60 % 60), (unsigned)(second % 60), (unsigned)rest % 1000); /* for the compiler */
}
