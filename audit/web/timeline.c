#include "audit/web/sums.h"

#include <stdbool.h>
#include <time.h>

#include "base/time.h"

#define MINUTE INT64_C(60)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* Each is a multiple of the one before. The last reaches from year 0 to 9999. */
static const int64_t widths[] = {
        10,      MINUTE,   5 * MINUTE, 15 * MINUTE, HOUR,       3 * HOUR,   12 * HOUR,   DAY,
        7 * DAY, 28 * DAY, 112 * DAY,  448 * DAY,   1792 * DAY, 7168 * DAY, 57344 * DAY,
};

/* Spans reach back beyond 1970 too, where C would round up. */
static int64_t divide_down(int64_t value, int64_t by) {
        return value / by - (value % by < 0);
}

static bool read_time(struct str text, int64_t *ret_seconds) {
        static const char pattern[] = "0000-00-00T00:00:00.000Z";
        int parts[6] = { 0 };
        struct tm utc = { 0 };
        size_t part = 0;

        if (text.len != TIME_TEXT_SIZE - 1)
                return false;
        for (size_t i = 0; i < text.len; i++) {
                if (pattern[i] != '0' ? text.ptr[i] != pattern[i] : !is_ascii_digit((unsigned char)text.ptr[i]))
                        return false;
                if (pattern[i] != '0')
                        part++;
                else if (part < sizeof(parts) / sizeof(*parts))
                        parts[part] = parts[part] * 10 + (text.ptr[i] - '0');
        }
        utc.tm_year = parts[0] - 1900;
        utc.tm_mon = parts[1] - 1;
        utc.tm_mday = parts[2];
        utc.tm_hour = parts[3];
        utc.tm_min = parts[4];
        utc.tm_sec = parts[5];
        *ret_seconds = timegm(&utc); /* a 13th month is one of the next year, and harmless */
        return true;
}

/* The next longer spans. */
static void widen(struct timeline *timeline) {
        int64_t factor = widths[timeline->width + 1] / widths[timeline->width];
        struct timeline wider = { .width = timeline->width + 1, .first = divide_down(timeline->first, factor) };

        for (size_t i = 0; i < timeline->count; i++) {
                size_t to = (size_t)(divide_down(timeline->first + (int64_t)i, factor) - wider.first);

                for (int column = 0; column < COLUMNS; column++)
                        wider.spans[to][column] += timeline->spans[i][column];
                wider.count = to + 1;
        }
        *timeline = wider;
}

/* Room for a span before the first. */
static void shift(struct timeline *timeline, size_t by) {
        memmove(timeline->spans[by], timeline->spans[0], timeline->count * sizeof(timeline->spans[0]));
        memset(timeline->spans[0], 0, by * sizeof(timeline->spans[0]));
        timeline->first -= (int64_t)by;
        timeline->count += by;
}

void timeline_add(struct timeline *timeline, struct str time, enum verdict_column column) {
        const size_t last = sizeof(widths) / sizeof(*widths) - 1;
        int64_t seconds, span;

        if (!read_time(time, &seconds))
                return;
        for (;; widen(timeline)) {
                span = divide_down(seconds, widths[timeline->width]);
                if (!timeline->count) {
                        timeline->first = span;
                        timeline->count = 1;
                }
                if (span >= timeline->first ? span - timeline->first < TIMELINE_SPANS
                                            : timeline->first + (int64_t)timeline->count - span <= TIMELINE_SPANS)
                        break;
                if (timeline->width == last)
                        return;
        }
        if (span < timeline->first)
                shift(timeline, (size_t)(timeline->first - span));
        if (span >= timeline->first + (int64_t)timeline->count)
                timeline->count = (size_t)(span - timeline->first) + 1;
        timeline->spans[span - timeline->first][column]++;
}

void timeline_json(const struct timeline *timeline, struct buf *out) {
        long long seconds = widths[timeline->width];

        buf_format(out, "{\"seconds\":%lld,\"start\":%lld,\"spans\":[", seconds, timeline->first * seconds);
        for (size_t i = 0; i < timeline->count; i++) {
                const uint64_t *span = timeline->spans[i];

                buf_format(out, "%s[%llu,%llu,%llu,%llu]", i ? "," : "", (unsigned long long)span[COLUMN_ALLOWED],
                           (unsigned long long)span[COLUMN_WARNED], (unsigned long long)span[COLUMN_BLOCKED],
                           (unsigned long long)span[COLUMN_OTHER]);
        }
        buf_append(out, STR("]}"));
}
