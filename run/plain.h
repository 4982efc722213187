/*
 * Output as a terminal would show it, as plain text: for a reader who has no terminal, and is not to be deceived by one.
 *
 *   a line        as it looks at its end: \r and \b go back and what follows overwrites, "\r\n" is "\n". A few sequences that
 *                 progress bars use are followed, too: erase (K, J), columns (C, D, G). Each character is one column wide.
 *   sequences     all others go: CSI, OSC, DCS, SOS, PM, APC, ESC and a letter. None goes on behind the end of its line, so
 *                 that an open one hides no more than a line; a control character inside ends it.
 *   shown         the other control characters as ^G, those of U+0080 to U+009F and characters that nobody sees or that turn
 *                 the text around as <U+202E>
 *   not UTF-8     each byte becomes U+FFFD, so that nothing new comes about where something was taken out
 *
 * The text is UTF-8 without any control character but \t and \n. It does not depend on the pieces that the bytes came in.
 */
#ifndef BAILEY_RUN_PLAIN_H
#define BAILEY_RUN_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum {
        PLAIN_LINE_MAX = 4096, /* characters; a longer line is passed on in parts, and going back stays within one */
        PLAIN_UTF8_MAX = 4,
};

enum plain_mode {
        PLAIN_TEXT,
        PLAIN_KEEP, /* everything, as it came */
};

enum plain_state {
        PLAIN_GROUND,
        PLAIN_ESCAPE,       /* ESC */
        PLAIN_INTERMEDIATE, /* ESC and one that asks for more */
        PLAIN_CSI,
        PLAIN_STRING, /* OSC, DCS, SOS, PM, APC */
};

struct plain_cell {
        char bytes[PLAIN_UTF8_MAX]; /* of one character; it says itself how many */
};

struct plain {
        enum plain_mode mode;
        enum plain_state state;
        bool invalid_utf8; /* something became U+FFFD */
        bool odd;          /* a CSI sequence that has more than one number */
        unsigned number;
        char pending[PLAIN_UTF8_MAX]; /* a character of which there is more to come */
        size_t pending_len;
        unsigned char previous; /* in a string */
        size_t len, cursor;     /* of the line; the cursor may be behind its end */
        struct plain_cell line[PLAIN_LINE_MAX];
};

typedef void plain_out(void *context, struct str text);

void plain_init(struct plain *plain, enum plain_mode mode);
void plain_feed(struct plain *plain, struct str bytes, plain_out *out, void *context);
/* Passes on the line as it is now. What goes back later stays behind this place. */
void plain_flush(struct plain *plain, plain_out *out, void *context);
/* The last line, when no newline ended it. A sequence that is not complete is dropped. */
void plain_end(struct plain *plain, plain_out *out, void *context);

#endif
