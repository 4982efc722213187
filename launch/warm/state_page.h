/*
 * A page of memory in which a shell leaves, when it exits or executes another program, the directory that it is in and the
 * exported variables that it has changed.
 *
 * It is memory that is shared with the supervisor, not a pipe: the command has no descriptor of it, no child of the shell
 * inherits it past an exec, nobody can be kept waiting by it, and it cannot grow. What a command leaves in it is hostile input.
 */
#ifndef BAILEY_LAUNCH_STATE_PAGE_H
#define BAILEY_LAUNCH_STATE_PAGE_H

#include <stdint.h>

#include "base/buf.h"

enum { STATE_TEXT_MAX = 64 << 10 };

/* The first byte of each of the texts, which stand one behind the other, each with a NUL. */
enum state_text {
        STATE_DIRECTORY = '/', /* the path of the directory, this byte included */
        STATE_REMOVED = '?',   /* or it has none any more */
        STATE_SET = '+',       /* NAME=VALUE */
        STATE_UNSET = '-',     /* NAME */
        STATE_LONG = '!',      /* NAME, set to a value that does not fit */
};

struct state_page {
        uint32_t length; /* of the text; 0: nothing was left */
        char text[STATE_TEXT_MAX];
};

/* Returns a file of that size, which cannot be resized. -1: there is none to be had. */
int state_page_make(void);

/* Maps it into a process, which does not need the file any more. NULL: it cannot be. */
struct state_page *state_page_map(int fd);

/* Reads what was left into an empty buffer with room for STATE_TEXT_MAX; nothing, if that is not in order. Does not wait. */
void state_page_read(int fd, struct buf *out);

#endif
