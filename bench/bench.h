/*
 * What the parts of the bench share: samples, rows of the table, programs that are started, and the place they work in.
 * A row is a ratio of two things that were measured in turns, or a value that has a goal of its own.
 */
#ifndef BAILEY_BENCH_BENCH_H
#define BAILEY_BENCH_BENCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/str.h"

enum {
        ROWS_MAX = 64,
        ENVIRONMENT_MAX = 16,
        OUTPUT_MAX = 1 << 20, /* that is kept of a program's output */
        IN_FLIGHT = 8,
        CORES = 2,
};

enum sense { NO_GOAL, AT_MOST, AT_LEAST };

struct row {
        char name[48];                /* for programs; what is before the first - is the group */
        char what[128];               /* for people */
        char against[128];            /* empty: nothing */
        char unit[8];                 /* "x" for a ratio */
        double value, p95;            /* in that unit, of the medians and of the 95th percentiles; p95 -1: has none */
        double median_us, against_us; /* -1: none */
        double cpu; /* the ratio of what the processors spent, which others on the machine disturb less; -1: none */
        size_t n;
        enum sense sense;
        double goal;
        char note[200]; /* what else should be known */
        bool skipped;   /* the note says why */
};

struct bench {
        const char *rows, *texts; /* as asked for; NULL: all; no file */
        size_t n;                 /* of each in turns */
        size_t shells, calls;     /* in the background at once; of an old server */
        size_t flood;             /* bytes to capture */
        size_t warm;              /* sandboxes that wait, when their memory is measured */
        int64_t pause;            /* before each call that is measured alone */
        bool quick;
        char bailey[PATH_MAX];  /* the program that is measured */
        char sandbox[PATH_MAX]; /* bench_sandbox.c; may not be there */
        char net[PATH_MAX];     /* bench_net.c; the same */
        char bash[PATH_MAX];
        char place[PATH_MAX], home[PATH_MAX], work[PATH_MAX];
        char variables[ENVIRONMENT_MAX][PATH_MAX + 32];
        char *environment[ENVIRONMENT_MAX + 1];
        struct row list[ROWS_MAX];
        size_t count;
};

/* Says so, and ends the program. */
_Noreturn void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- samples ---- */

struct samples {
        int64_t *ns;
        size_t count, capacity;
};

void samples_add(struct samples *samples, int64_t ns);
void samples_free(struct samples *samples);

/* In nanoseconds. Sorts them. */
double samples_quantile(struct samples *samples, unsigned percent);

/* ---- rows ---- */

struct row *row_add(struct bench *bench, const char *name, const char *what, const char *against);
void row_goal(struct row *row, enum sense sense, double goal);
void row_skip(struct row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* a / b, or b / a when more is better. Both were measured, in turns. */
void row_ratio(struct row *row, struct samples *a, struct samples *b, enum sense sense, double goal);
void row_cpu(struct row *row, struct samples *a, struct samples *b);
void row_value(struct row *row, const char *unit, double value, size_t n, enum sense sense, double goal);
bool row_passes(const struct row *row);

/* ---- programs ---- */

/* The path of a program, from $PATH or beside the program that is measured. Returns false where there is none. */
bool child_find(const struct bench *bench, const char *name, char ret_path[static PATH_MAX]);

struct child {
        const char *const *argv;
        const char *file; /* opened for it as fd 9; NULL: none */
};

/* From the spawn to the end, with nothing but /dev/null; it has to succeed. `ret_cpu`, which may be NULL: what the processors
 * spent on it, and on all that it has waited for. */
int64_t child_time(const struct bench *bench, const struct child *program, int64_t *ret_cpu);

/* Starts it; `out` is its stdout, -1: /dev/null. */
pid_t child_start(const struct bench *bench, const struct child *program, int in, int out);

/* Its stdout, or when it fails, what it said on stderr. Killed after some seconds. */
bool child_output(const struct bench *bench, const struct child *program, struct buf *out);

/* `count` of them, some at a time: how long that takes. */
int64_t child_pump(const struct bench *bench, const struct child *program, size_t count, size_t at_once);

/* ---- programs in turns ---- */

struct taken {
        struct samples time, cpu;
};

/* `n` times each. */
void turns_take(const struct bench *bench, const struct child *programs, size_t count, size_t n, struct taken *taken);
void turns_compare(struct row *row, struct taken *a, struct taken *b, double goal);
void turns_free(struct taken *taken, size_t count);

/* ---- places ---- */

/* Adds rows. */
typedef void measure(struct bench *bench);

/* A directory with a home and a workspace, and an environment to go with it; gone at the end. */
void place_make(struct bench *bench);
void place_remove(const struct bench *bench);

/* A home of its own for another server. */
void place_home(struct bench *bench, const char *name);

/* Has a part measured by an ordinary user, and takes its rows. For root. */
void place_as_user(struct bench *bench, measure *part);

/* Has a part measured by an ordinary user, too, in a process that has entered somewhere before. Returns false when it could
 * not. */
bool place_apart(struct bench *bench, bool (*enter)(void), measure *part);

/* ---- groups of rows ---- */

measure measure_start, measure_hook, measure_cold, measure_mcp, measure_age, measure_memory, measure_shells, measure_capture,
        measure_guard, measure_worst, measure_peers, measure_net, measure_home;

/* bubblewrap with the sandbox of `bailey run` here. argv lives as long as `memory`. Returns false without bubblewrap. */
struct wrapped {
        const char *argv[160];
        size_t count;
        char bwrap[PATH_MAX], filter[PATH_MAX + 16];
        struct buf plan; /* whose words argv points to */
        struct child program;
};
bool bwrap_like_bailey(struct bench *bench, struct wrapped *ret);
void wrapped_free(struct wrapped *wrapped);

/* ---- telling ---- */

void table_print(const struct bench *bench);
void table_json(const struct bench *bench);

/* Puts the table into a text, between its markers. */
int table_document(const struct bench *bench, const char *path);

#endif
