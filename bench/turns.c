/*
 * Programs in turns, there and back, so that nobody always comes behind the same neighbour, whose namespaces the kernel is
 * still taking apart.
 */
#include "bench/bench.h"

void turns_take(const struct bench *bench, const struct child *programs, size_t count, size_t n, struct taken *taken) {
        int64_t cpu;

        for (size_t i = 0; i < count; i++) /* into the caches */
                for (int warm = 0; warm < 3; warm++)
                        child_time(bench, &programs[i], NULL);
        for (size_t run = 0; run < n; run++)
                for (size_t i = 0; i < count; i++) {
                        size_t at = run % 2 ? count - 1 - i : i;

                        samples_add(&taken[at].time, child_time(bench, &programs[at], &cpu));
                        samples_add(&taken[at].cpu, cpu);
                }
}

void turns_compare(struct row *row, struct taken *a, struct taken *b, double goal) {
        row_ratio(row, &a->time, &b->time, AT_MOST, goal);
        row_cpu(row, &a->cpu, &b->cpu);
}

void turns_free(struct taken *taken, size_t count) {
        for (size_t i = 0; i < count; i++) {
                samples_free(&taken[i].time);
                samples_free(&taken[i].cpu);
        }
}
