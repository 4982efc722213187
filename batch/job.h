/*
 * A job of a batch: one line of JSON, which names a command and where it runs.
 */
#ifndef BAILEY_BATCH_JOB_H
#define BAILEY_BATCH_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "bailey.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum {
        JOB_LINE_MAX = 16 << 20, /* bytes */
        JOB_RETRIES = 2,         /* after a fault of the machine, if the job has no "retry" */
};

struct place;

struct job {
        struct job *next;
        uint64_t line; /* its number, from 1 */
        uint32_t mark; /* of its text: job_mark() */

        /* values of the line; missing ones are NULL, 0 or false */
        const char *id, *group, *description;
        const char *command;
        const char *const *argv;
        const char *workspace; /* a real path */
        const char *cwd;       /* the real path of a directory in the workspace */
        const char *policy;
        const char *const *env; /* "env.set.NAME=VALUE", NULL-terminated */
        bool shared;            /* other jobs may run in its workspace meanwhile */
        long long timeout_ms, retries;

        /* while it waits or runs */
        unsigned attempt;
        struct place *place;
        char shell[BAILEY_ID_SIZE];
        size_t bytes; /* that it takes */
        struct arena arena;
};

/* Makes the job of a line; `workspace` is the real path of what it runs in if it names none. One that is wrong is made, too, as
 * far as it was read, and `err` says what is wrong: it gets a result that says so. NULL: out of memory. */
struct job *job_new(struct str text, uint64_t line, uint32_t mark, const char *workspace, struct err *err);
void job_free(struct job *job);

/* A checksum of the line: never 0. */
uint32_t job_mark(struct str text);

#endif
