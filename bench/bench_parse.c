/*
 * How long the parser takes for a command, and whether any text makes it take more than in proportion to its length.
 *
 *     bench_parse [--json] [FILE]
 *
 * FILE has a {"command": "..."} per line; without it, a list of commands as agents type them. Times are the median of
 * several runs. Nothing fails here: the words ok and SLOW say how the numbers compare with the goals.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/texts.h"
#include "base/buf.h"
#include "base/fd.h"
#include "base/time.h"
#include "shell/parse.h"

enum {
        RUNS = 15,   /* of one text; odd, so that there is one in the middle */
        ROUNDS = 16, /* of a short command in one run, as a clock is slower than some */
        SIZES = 4,   /* 8, 16, 32 and 64 KiB */
        SMALLEST = 8 << 10,
        LARGEST = SMALLEST << (SIZES - 1),
};

/* Goals. */
static const double goal_median_us = 5, goal_stress_ms = 10;
static const size_t goal_arena_per_byte = 64, goal_arena_fixed = 64 << 10;

static const char *const stress[] = {
        "${", "$(", "<<A ",  "((",     "\"$(", "[",  "{a,",  "`",  "a=b ", "$((",           "a;",
        "a|", "(",  "((a) ", "$((a) ", "'",    "\"", "\\\n", "$a", "#",    "case x in x) ",
};

struct timing {
        int64_t ns;   /* the median */
        size_t arena; /* bytes used */
};

struct stress_row {
        const char *pattern;
        double ns_per_byte[SIZES], milliseconds, arena_per_byte;
        bool fast, small;
};

/* ---- measuring ---- */

static struct timing measure(struct str text, unsigned rounds, struct arena *arena) {
        int64_t times[RUNS];
        struct timing timing;
        struct script script;

        for (unsigned run = 0; run < RUNS; run++) {
                int64_t start = time_monotonic();
                for (unsigned i = 0; i < rounds; i++) {
                        arena_reset(arena);
                        shell_parse(text, arena, &script);
                }
                times[run] = (time_monotonic() - start) / rounds;
        }
        qsort(times, RUNS, sizeof(times[0]), compare_times);
        timing.ns = times[RUNS / 2];
        timing.arena = arena->used;
        return timing;
}

static void measure_commands(const struct texts *texts, struct arena *arena, double *ret_median, double *ret_p99) {
        int64_t *times = calloc(texts->count, sizeof(*times));

        if (!times)
                die("out of memory");
        for (size_t i = 0; i < texts->count; i++)
                times[i] = measure(texts->list[i], ROUNDS, arena).ns;
        qsort(times, texts->count, sizeof(*times), compare_times);
        *ret_median = microseconds(times[texts->count / 2]);
        *ret_p99 = microseconds(times[(texts->count - 1) * 99 / 100]);
        free(times);
}

static struct stress_row measure_stress(const char *pattern, struct arena *arena) {
        static char text[LARGEST];
        struct stress_row row = { .pattern = pattern };
        struct timing timing = { 0 };
        size_t length = strlen(pattern);

        for (size_t i = 0; i < LARGEST; i++)
                text[i] = pattern[i % length];
        for (unsigned i = 0; i < SIZES; i++) {
                size_t size = (size_t)SMALLEST << i;
                timing = measure(str_from(text, size), 1, arena);
                row.ns_per_byte[i] = (double)timing.ns / (double)size;
        }
        row.milliseconds = (double)timing.ns / 1e6;
        row.arena_per_byte = (double)timing.arena / LARGEST;
        row.fast = row.milliseconds <= goal_stress_ms;
        row.small = timing.arena <= goal_arena_per_byte * LARGEST + goal_arena_fixed;
        return row;
}

/* ---- telling ---- */

static void tell_commands(const struct texts *texts, double median, double p99, bool json) {
        if (json) {
                printf("{\"commands\":%zu,\"median_us\":%.3f,\"p99_us\":%.3f,\"goal_median_us\":%g,\"ok\":%s,"
                       "\"stress\":[",
                       texts->count, median, p99, goal_median_us, median <= goal_median_us ? "true" : "false");
                return;
        }
        printf("parse: %zu commands, median %.2f us, p99 %.2f us; goal: median <= %g us: %s\n\n", texts->count, median, p99,
               goal_median_us, median <= goal_median_us ? "ok" : "SLOW");
        printf("%-15s %27s %20s %20s\n", "", "ns a byte, of a text of", "64 KiB in ms", "arena, bytes a byte");
        printf("%-15s %6s %6s %6s %6s %13s <= %g %13s <= %zu\n", "repeated", "8 KiB", "16", "32", "64", "", goal_stress_ms, "",
               goal_arena_per_byte);
}

static void tell_stress_json(const struct stress_row *row, bool first) {
        BUF_AUTO name;

        buf_init(&name, 1024);
        buf_json(&name, str_z(row->pattern));
        printf("%s{\"pattern\":%.*s,\"ns_per_byte\":[%.2f,%.2f,%.2f,%.2f],\"ms\":%.3f,\"arena_per_byte\":%.2f,\"ok\":%"
               "s}",
               first ? "" : ",", (int)name.len, name.ptr, row->ns_per_byte[0], row->ns_per_byte[1], row->ns_per_byte[2],
               row->ns_per_byte[3], row->milliseconds, row->arena_per_byte, row->fast && row->small ? "true" : "false");
}

static void tell_stress(const struct stress_row *row) {
        BUF_AUTO name;

        buf_init(&name, 1024);
        buf_json(&name, str_z(row->pattern));
        printf("%-15.*s %6.1f %6.1f %6.1f %6.1f %13.3f %6s %13.2f %6s\n", (int)name.len, name.ptr, row->ns_per_byte[0],
               row->ns_per_byte[1], row->ns_per_byte[2], row->ns_per_byte[3], row->milliseconds, row->fast ? "ok" : "SLOW",
               row->arena_per_byte, row->small ? "ok" : "LARGE");
}

int main(int argc, char **argv) {
        struct texts texts = { 0 };
        double median, p99;
        ARENA_AUTO arena, lines;
        bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
        const char *file = argv[1 + json];

        arena_init(&arena, 0);
        arena_init(&lines, TEXTS_MAX);
        texts_load(&texts, file, &lines);
        measure_commands(&texts, &arena, &median, &p99);
        tell_commands(&texts, median, p99, json);
        for (size_t i = 0; i < sizeof(stress) / sizeof(stress[0]); i++) {
                struct stress_row row = measure_stress(stress[i], &arena);
                if (json)
                        tell_stress_json(&row, i == 0);
                else
                        tell_stress(&row);
        }
        fputs(json ? "]}\n" : "", stdout);
        free(texts.list);
        return 0;
}
