#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/time.h"
#include "batch/batch.h"

enum { LINE_SIZE_MAX = 512 };

#define CLEAR_LINE "\r\033[K"

/* 1234567 as 1,234,567. */
static void put_count(struct buf *out, uint64_t count) {
        char digits[sizeof("18446744073709551615")];
        int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);

        for (int i = 0; i < len; i++) {
                if (i && (len - i) % 3 == 0)
                        buf_char(out, ',');
                buf_char(out, digits[i]);
        }
}

static void put_sum(struct buf *out, const char *name, uint64_t count) {
        if (!count)
                return;
        buf_format(out, "  %s ", name);
        put_count(out, count);
}

static void put_rest(struct buf *out, const struct batch_sums *sums, double rate) {
        uint64_t all = sums->before + sums->done, left = sums->lines > all ? sums->lines - all : 0;
        uint64_t seconds = (uint64_t)((double)left / rate);

        buf_format(out, "  ETA %02llu:%02llu", (unsigned long long)(seconds / 60), (unsigned long long)(seconds % 60));
}

void progress_show(int fd, const struct batch_sums *sums, int64_t since, int64_t now) {
        double rate = (double)sums->done / ((double)(now - since + 1) / TIME_SECOND);
        uint64_t done = sums->before + sums->done;
        ssize_t ignored;
        BUF_AUTO line;

        buf_init(&line, LINE_SIZE_MAX);
        buf_append(&line, STR(CLEAR_LINE));
        put_count(&line, done);
        if (sums->known && sums->lines) {
                buf_char(&line, '/');
                put_count(&line, sums->lines);
                buf_format(&line, "  %d%%", (int)(done * 100 / sums->lines));
        }
        buf_format(&line, "  %.0f/s  running %u", rate, sums->running);
        put_sum(&line, "failed", sums->failed);
        put_sum(&line, "faults", sums->faults);
        if (sums->known && sums->done)
                put_rest(&line, sums, rate);
        ignored = write(fd, line.ptr, line.len);
        (void)ignored;
}

void progress_hide(int fd) {
        ssize_t ignored = write(fd, CLEAR_LINE, strlen(CLEAR_LINE));

        (void)ignored;
}
