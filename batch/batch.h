/*
 * Many commands: jobs are lines of JSON, each gets one line of JSON as its result, and a limited number runs at a
 * time. Finished jobs take no memory, so that their number is not limited.
 */
#ifndef BAILEY_BATCH_BATCH_H
#define BAILEY_BATCH_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "bailey.h"
#include "base/err.h"

enum { BATCH_JOBS_MAX = 128 }; /* at a time */

struct batch_options {
        const struct bailey_policy_options *policy; /* of jobs that name nothing else */
        const char *const *environment;
        int jobs_fd, results_fd;
        const char *jobs_name, *results_name; /* for messages */
        bool journal;                         /* results that are there count */
        size_t at_a_time;
        long long timeout_ms; /* of jobs that name none; as of bailey_run_options */
        bool in_order;        /* results come in the order of the jobs */
        uint64_t stop_after;  /* so many that failed, or percent of all jobs; 0: never */
        bool stop_percent;
        int stop_fd;     /* readable once: start nothing more; twice: kill what runs */
        int progress_fd; /* a terminal; -1: none */
};

struct batch_sums {
        uint64_t lines;   /* that have a job */
        bool known;       /* all of the lines; else only those that were read */
        uint64_t before;  /* results that were there before */
        uint64_t done;    /* results that are new */
        uint64_t failed;  /* of them: the job's end was not exit status 0 */
        uint64_t faults;  /* of these: the machine was at fault */
        uint64_t invalid; /* of these: the line is invalid, or the job cannot be run */
        unsigned running;
        bool stopped; /* before the end */
};

/* -1: it could not continue, see `err`; `ret` counts the results that were written. */
int batch_run(const struct batch_options *options, struct batch_sums *ret, struct err *err);

/* progress.c: one line on a terminal, which replaces the one before. `since`, `now`: monotonic. */
void progress_show(int fd, const struct batch_sums *sums, int64_t since, int64_t now);
void progress_hide(int fd);

#endif
