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

void time_format(int64_t realtime, char ret_text[static TIME_TEXT_SIZE]) {
        int64_t rest = realtime % TIME_SECOND;
        time_t seconds = (time_t)(realtime / TIME_SECOND);
        struct tm utc = { 0 };
        char date[sizeof("1970-01-01T00:00:00")];

        if (rest < 0) { /* C rounds towards zero, dates round down */
                rest += TIME_SECOND;
                seconds--;
        }
        gmtime_r(&seconds, &utc); /* 64 bits of nanoseconds end in 1677 and 2262: years have four digits */
        strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc);
        snprintf(ret_text, TIME_TEXT_SIZE, "%s.%03dZ", date, (int)(rest / 1000000));
}
