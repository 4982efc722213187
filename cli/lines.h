/*
 * A stream of lines with a bounded length, for commands that answer line by line.
 */
#ifndef BAILEY_CLI_LINES_H
#define BAILEY_CLI_LINES_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

struct lines {
        int fd;
        size_t max;         /* bytes in a line, newline aside */
        FILE *answers;      /* flushed before waiting for more, so that who waits for an answer has it */
        struct buf data;    /* read, not handed out yet; from `start` on */
        size_t start, seen; /* no newline between them */
        bool skipping;      /* inside a line that is too long */
        bool end;
};

enum line_kind { LINE_END, LINE_WHOLE, LINE_TOO_LONG };

void lines_init(struct lines *lines, int fd, size_t max, FILE *answers);
void lines_free(struct lines *lines);

/* The next line without its newline, valid until the next call; a last line without one counts. -1: reading failed. */
int lines_next(struct lines *lines, enum line_kind *ret_kind, struct str *ret_line, struct err *err);

#endif
