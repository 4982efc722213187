/*
 * A part of a file, line by line, in bounded memory. The file may grow meanwhile, and may hold anything.
 */
#ifndef BAILEY_AUDIT_LINES_H
#define BAILEY_AUDIT_LINES_H

#include <stdint.h>

#include "audit/chain.h"
#include "base/err.h"

struct audit_lines {
        int fd;             /* not owned */
        uint64_t at, limit; /* read up to here; read no further than there */
        char *data;         /* the one allocation */
        size_t start, len;  /* read, and not handed out yet */
        size_t seen;        /* no newline before it */
        uint64_t number;    /* of the line that was handed out last, from 1 */
        bool skipping;      /* inside a line that is too long */
};

enum audit_line { AUDIT_LINE_END, AUDIT_LINE_WHOLE, AUDIT_LINE_TOO_LONG };

int audit_lines_init(struct audit_lines *lines, struct err *err);
void audit_lines_free(struct audit_lines *lines);
void audit_lines_begin(struct audit_lines *lines, int fd, uint64_t limit);

/* The next line that has its newline, without it; valid until the next call. -1: reading failed. */
int audit_lines_next(struct audit_lines *lines, struct str *ret_line, struct err *err);

/* At the end: what has no newline yet. */
struct str audit_lines_rest(const struct audit_lines *lines);

#endif
