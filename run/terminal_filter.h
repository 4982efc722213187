/*
 * What a command shows on the user's own terminal: bytes go through unless they belong to a sequence that
 * run/terminal_sequences.h does not let through.
 *
 *   a sequence    is passed on as a whole, when it has ended, in its form of 7 bits, or not at all. So the terminal is never in
 *                 the middle of one, however the bytes are cut, and whenever the command ends.
 *   a string      (OSC, DCS, ...) goes on until its end, as in a terminal; no more than the longest OSC is kept of it
 *   U+0080 to U+009F are the sequences that they stand for; single bytes from 0x80 on that are no UTF-8 become U+FFFD
 *
 * What comes out is UTF-8. The terminal is taken to be one that reads it so. Linear, and of fixed size.
 */
#ifndef BAILEY_RUN_TERMINAL_FILTER_H
#define BAILEY_RUN_TERMINAL_FILTER_H

#include "run/terminal_sequences.h"

enum terminal_filter_state {
        FILTER_GROUND,
        FILTER_ESCAPE, /* ESC, and maybe one that asks for more */
        FILTER_CSI,
        FILTER_OSC,
        FILTER_OSC_ESCAPE, /* and ESC, which may begin its end */
        FILTER_PALETTE,    /* seven bytes of an OSC of the Linux console, which has no end */
        FILTER_STRING,     /* DCS, SOS, PM, APC */
        FILTER_STRING_ESCAPE,
};

struct terminal_filter {
        enum terminal_filter_state state;
        bool too_long; /* the sequence is dropped at its end */
        size_t held_len;
        size_t pending_len;
        uint64_t changed; /* terminal_restore() */
        unsigned char previous;
        char pending[4]; /* a character of which there is more to come */
        char held[TERMINAL_OSC_MAX];
};

typedef void terminal_filter_out(void *context, struct str bytes);

/* The filter begins zeroed. Of `bytes` and what was held before, no more than three times as many come out, and at most
 * TERMINAL_PASSED_MAX besides. */
void terminal_filter_feed(struct terminal_filter *filter, struct str bytes, terminal_filter_out *out, void *context);

/* The command has ended: drops what is incomplete, and restores what it has left changed. */
void terminal_filter_end(struct terminal_filter *filter, terminal_filter_out *out, void *context);

#endif
