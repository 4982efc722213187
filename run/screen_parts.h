/*
 * Inside the screen: what its sequences (screen_sequences.c) do to it (screen.c).
 */
#ifndef BAILEY_RUN_SCREEN_PARTS_H
#define BAILEY_RUN_SCREEN_PARTS_H

#include "run/screen.h"

enum { SCREEN_NUMBERS = 16, SCREEN_NUMBER_MAX = 9999 };

/* A character, and one that is combined with it; 0: nothing. */
struct screen_cell {
        uint32_t code, mark;
};

enum { CELL_BLANK = 0, CELL_TAIL = UINT32_MAX }; /* the tail: the other half of a wide character */

struct screen_place {
        unsigned row, column;
        bool wraps;                   /* the last column was written: the next character goes to the next row */
        bool origin;                  /* rows are counted from the region's first */
        uint8_t graphics[2], charset; /* is G0, G1 that of line drawing? which is in use? */
};

/* What is behind `used` is blank: so a sequence that clears much costs no more than what was written. */
struct screen_line {
        struct screen_cell *cells;
        unsigned used;
};

struct screen_page {
        struct screen_cell *cells;
        struct screen_line lines[SCREEN_ROWS_MAX]; /* of the cells, in the order that they are shown */
        struct screen_place saved;
};

enum screen_parser {
        PARSER_GROUND,
        PARSER_ESCAPE,
        PARSER_CHARSET, /* ESC ( */
        PARSER_SKIP,    /* the rest of an ESC with an intermediate */
        PARSER_CSI,
        PARSER_STRING, /* OSC, DCS, SOS, PM, APC */
        PARSER_STRING_ESCAPE,
};

struct screen {
        unsigned rows, columns;
        struct screen_page pages[2], *page; /* the usual one and the alternate one */
        struct screen_place at;
        unsigned top, bottom; /* of what scrolls; the last row is in it */
        bool tabs[SCREEN_COLUMNS_MAX];
        bool insert, no_wrap, hidden, newline, application_cursor;
        uint32_t last; /* character, for REP */

        enum screen_parser parser;
        unsigned char introducer; /* of a charset or a string */
        char marker, intermediate;
        bool odd; /* a sequence that is not followed */
        unsigned numbers[SCREEN_NUMBERS], count;
        unsigned char pending[4]; /* of a character */
        unsigned pending_len;
};

/* ---- screen.c ---- */

void screen_reset(struct screen *s);
void screen_put(struct screen *s, uint32_t code);
void screen_move(struct screen *s, unsigned row, unsigned column); /* to a place, or the nearest that there is */
void screen_index(struct screen *s);                               /* down, and the region scrolls */
void screen_reverse_index(struct screen *s);
void screen_scroll(struct screen *s, unsigned first, unsigned last, unsigned count, bool down);
void screen_erase(struct screen *s, unsigned row, unsigned first, unsigned end);
void screen_shift(struct screen *s, unsigned count, bool right); /* what is behind the cursor, in its row */
void screen_alternate(struct screen *s, bool alternate, bool clear);
void screen_default_tabs(struct screen *s);

/* ---- screen_width.c ---- */

/* Columns: 0, 1 or 2. */
unsigned screen_width(uint32_t code);

#endif
