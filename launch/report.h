/*
 * Reports from the processes inside to the supervisor, in fixed-size records that fit one write() to a pipe.
 */
#ifndef BAILEY_LAUNCH_REPORT_H
#define BAILEY_LAUNCH_REPORT_H

#include <stdint.h>

#include "base/err.h"

enum report_kind {
        REPORT_FAILED = 1, /* a step failed, and the command did not start: `err` */
        REPORT_STARTED,
        REPORT_ENDED, /* `status`, as of waitpid() */
};

/* Facts about the end. */
enum report_fact {
        REPORT_OUT_OF_MEMORY = 1 << 0,
        REPORT_LOST = 1 << 1,    /* a container that should continue to run is gone */
        REPORT_REFUSED = 1 << 2, /* a brokered call was refused: `err` says which */
        REPORT_HOME = 1 << 3,    /* something was written for the layer of a home, and is to be settled */
};

struct report {
        uint32_t kind;
        int32_t status;
        uint32_t facts; /* enum report_fact */
        struct err err;
};

/* All are for the child: no memory, no retries beyond EINTR. */
void report_send(int fd, enum report_kind kind, int status);
void report_end(int fd, int status, uint32_t facts, const char *refused); /* "": nothing was refused */
_Noreturn void report_failure(int fd, const struct err *err);             /* and exits */

/* Exactly one record; 0 at the end, -1 when the pipe broke off. */
int report_receive(int fd, struct report *ret);

#endif
