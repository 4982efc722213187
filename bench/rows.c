/*
 * Samples, and the rows that are made of them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

void samples_add(struct samples *samples, int64_t ns) {
        if (samples->count == samples->capacity) {
                size_t capacity = samples->capacity ? 2 * samples->capacity : 512;
                int64_t *grown = reallocarray(samples->ns, capacity, sizeof(*grown));

                if (!grown)
                        bench_die("no memory for samples");
                samples->ns = grown;
                samples->capacity = capacity;
        }
        samples->ns[samples->count++] = ns;
}

void samples_free(struct samples *samples) {
        free(samples->ns);
        *samples = (struct samples){ 0 };
}

static int compare_samples(const void *a, const void *b) {
        const int64_t *x = a, *y = b;

        return (*x > *y) - (*x < *y);
}

double samples_quantile(struct samples *samples, unsigned percent) {
        size_t at = samples->count ? (samples->count - 1) * percent / 100 : 0;

        if (samples->count == 0)
                bench_die("nothing was measured");
        qsort(samples->ns, samples->count, sizeof(*samples->ns), compare_samples);
        return (double)samples->ns[at];
}

struct row *row_add(struct bench *bench, const char *name, const char *what, const char *against) {
        struct row *row = &bench->list[bench->count];

        if (bench->count == ROWS_MAX)
                bench_die("more than %d rows", ROWS_MAX);
        bench->count++;
        *row = (struct row){ .unit = "x", .p95 = -1, .median_us = -1, .against_us = -1, .cpu = -1 };
        snprintf(row->name, sizeof(row->name), "%s", name);
        snprintf(row->what, sizeof(row->what), "%s", what);
        snprintf(row->against, sizeof(row->against), "%s", against);
        return row;
}

void row_goal(struct row *row, enum sense sense, double goal) {
        row->sense = sense;
        row->goal = goal;
}

void row_skip(struct row *row, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(row->note, sizeof(row->note), format, arguments);
        va_end(arguments);
        row->skipped = true;
}

void row_ratio(struct row *row, struct samples *a, struct samples *b, enum sense sense, double goal) {
        double median = samples_quantile(a, 50), p95 = samples_quantile(a, 95);
        double other = samples_quantile(b, 50), other_p95 = samples_quantile(b, 95);

        row_goal(row, sense, goal);
        row->value = sense == AT_LEAST ? other / median : median / other;
        row->p95 = sense == AT_LEAST ? other_p95 / p95 : p95 / other_p95;
        row->median_us = median / 1000;
        row->against_us = other / 1000;
        row->n = a->count < b->count ? a->count : b->count;
}

void row_cpu(struct row *row, struct samples *a, struct samples *b) {
        double other = samples_quantile(b, 50);

        row->cpu = other > 0 ? samples_quantile(a, 50) / other : -1;
}

void row_value(struct row *row, const char *unit, double value, size_t n, enum sense sense, double goal) {
        snprintf(row->unit, sizeof(row->unit), "%s", unit);
        row->value = value;
        row->n = n;
        row_goal(row, sense, goal);
}

bool row_passes(const struct row *row) {
        return row->sense == AT_LEAST ? row->value >= row->goal : row->value <= row->goal;
}
