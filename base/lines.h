/*
 * A stream or a part of a file, line by line, in the memory that the caller gives: nothing is allocated. It may hold anything,
 * and a file may grow or shrink meanwhile.
 */
#ifndef BAILEY_BASE_LINES_H
#define BAILEY_BASE_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"

enum { LINES_CHUNK = 64 << 10 };

enum line_kind { LINE_END, LINE_WHOLE, LINE_TOO_LONG, LINE_LATER };

/* What is not named is 0. */
struct lines {
        int fd;         /* not owned */
        char *memory;   /* not owned */
        size_t size;    /* of the memory; a line fits with its newline, or is too long */
        size_t chunk;   /* bytes to read at a time; 0: LINES_CHUNK */
        uint64_t limit; /* bytes of the file; it is read no further */
        bool stream;    /* read from where the descriptor stands, which moves; else from the start of the file */
        bool open_end;  /* what has no newline at the end is a line, too */
        FILE *answers;  /* flushed before more is waited for, so that who waits for an answer has it; may be NULL */
        bool *readable; /* NULL: waits for more. Else it is read once if this is true, which it is not afterwards, and
                           LINE_LATER comes when there is no whole line yet */

        /* of lines_next() */
        uint64_t at;       /* read up to here */
        size_t start, len; /* read, and not handed out yet */
        size_t seen;       /* of that, no newline before it */
        uint64_t number;   /* of the line that was handed out last, from 1 */
        bool skipping;     /* inside a line that is too long */
};

/* The kind of the next line; without its newline, valid until the next call, and empty if it is too long. -1: reading failed.
 */
int lines_next(struct lines *lines, struct str *ret_line, struct err *err);

/* At the end: what has no newline yet. */
struct str lines_rest(const struct lines *lines);

#endif
