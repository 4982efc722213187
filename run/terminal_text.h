/*
 * Output as a terminal would show it, as plain text: for a reader who has no terminal, and is not to be deceived by one.
 *
 *   a line        as it looks at its end: \r and \b go back and what follows overwrites, "\r\n" is "\n". A few sequences that
 *                 progress bars use are followed, too: erase (K, J), columns (C, D, G). Each character is one column wide.
 *   sequences     all others go: CSI, OSC, DCS, SOS, PM, APC, ESC and a letter. None goes on behind the end of its line, so
 *                 that an open one hides no more than a line; a control character inside ends it.
 *   shown         the other control characters as ^G, those of U+0080 to U+009F and characters that are invisible or that turn
 *                 the text around as <U+202E>
 *   not UTF-8     each byte becomes U+FFFD, so that nothing new comes about where something was taken out
 *
 * The text is UTF-8 without any control character but \t and \n. It does not depend on the pieces that the bytes came in.
 */
#ifndef BAILEY_RUN_TERMINAL_TEXT_H
#define BAILEY_RUN_TERMINAL_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum {
        TERMINAL_LINE_MAX = 4096, /* characters; a longer line is passed on in parts, and going back stays within one */
        TERMINAL_UTF8_MAX = 4,
};

enum terminal_text_mode {
        TERMINAL_TEXT,
        TERMINAL_KEEP, /* everything, as it came */
};

enum terminal_text_state {
        TERMINAL_GROUND,
        TERMINAL_ESCAPE,       /* ESC */
        TERMINAL_INTERMEDIATE, /* ESC and one that asks for more */
        TERMINAL_CSI,
        TERMINAL_STRING, /* OSC, DCS, SOS, PM, APC */
};

struct terminal_cell {
        char bytes[TERMINAL_UTF8_MAX]; /* of one character; it says itself how many */
};

struct terminal_text {
        enum terminal_text_mode mode;
        enum terminal_text_state state;
        bool invalid_utf8; /* something became U+FFFD */
        bool odd;          /* a CSI sequence that has more than one number */
        unsigned number;
        char pending[TERMINAL_UTF8_MAX]; /* a character of which there is more to come */
        size_t pending_len;
        unsigned char previous; /* in a string */
        size_t len, cursor;     /* of the line; the cursor may be behind its end */
        struct terminal_cell line[TERMINAL_LINE_MAX];
};

typedef void terminal_text_out(void *context, struct str text);

void terminal_text_init(struct terminal_text *text, enum terminal_text_mode mode);
void terminal_text_feed(struct terminal_text *text, struct str bytes, terminal_text_out *out, void *context);
/* Passes on the line as it is now. What goes back later stays behind this place. */
void terminal_text_flush(struct terminal_text *text, terminal_text_out *out, void *context);
/* The last line, when no newline ended it. A sequence that is not complete is dropped. */
void terminal_text_end(struct terminal_text *text, terminal_text_out *out, void *context);

/*
 * Which characters plain text may hold. For run/terminal_text.c.
 */

/* ASCII that is shown as it is. */
static inline bool terminal_is_text(unsigned char c) {
        return (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
}

/* Bytes at the beginning that are shown as they are: whole characters. */
size_t terminal_clean_run(struct str s);

/* Both of one character, which it has been found to be. Hidden: not seen, or changes how others are. */
uint32_t terminal_code_point(struct str character);
bool terminal_hidden(struct str character);

/* Returns true if up to four bytes may be the start of a character. */
bool terminal_may_become_utf8(struct str bytes);

#endif
