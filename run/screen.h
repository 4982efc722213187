/*
 * The screen of a terminal, as rows of characters: for a reader who wants to see what a program with a full screen shows.
 *
 * It follows what programs send to an xterm: the cursor, erasing, inserting and deleting, regions that scroll, the alternate
 * screen, tabs, wrapping, wide and combining characters. Colours, titles and all strings are skipped. Nothing is answered: a
 * program that asks the terminal something gets no reply, so that output never becomes input.
 *
 * Its memory depends on its size only. What is shown does not depend on the pieces that the bytes came in.
 */
#ifndef BAILEY_RUN_SCREEN_H
#define BAILEY_RUN_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { SCREEN_ROWS_MAX = 200, SCREEN_COLUMNS_MAX = 500, SCREEN_ROWS = 24, SCREEN_COLUMNS = 80 };

struct screen;

/* Neither may be 0 or more than the maximum. */
int screen_new(unsigned rows, unsigned columns, struct screen **ret, struct err *err);
void screen_free(struct screen *screen);

void screen_feed(struct screen *screen, struct str bytes);

/* Keeps the upper left part, and the row with the cursor. -1 without memory: then it is as it was. */
int screen_resize(struct screen *screen, unsigned rows, unsigned columns, struct err *err);

struct screen_state {
        unsigned rows, columns;
        unsigned row, column; /* of the cursor, from 0 */
        bool cursor_shown;
        bool alternate;          /* the program has the screen to itself */
        bool application_cursor; /* what arrow keys have to send */
};

void screen_state(const struct screen *screen, struct screen_state *ret);

/* The characters of a row, without the blanks at its end. */
void screen_row(const struct screen *screen, unsigned row, struct buf *out);

/* Its last column is in use: the row below may go on with its text. */
bool screen_row_full(const struct screen *screen, unsigned row);

#endif
