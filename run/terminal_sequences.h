/*
 * What escape sequences of a command may reach the user's terminal: tables. What is in none of them is dropped. For
 * run/terminal_filter.c.
 *
 * A sequence passes if all that it can do is change what is shown, or how keys are sent to the command. A query passes if its
 * answer has a fixed form and holds nothing but numbers: an answer comes in as if it had been typed, maybe only after the
 * command has ended, when a shell reads it.
 *
 * Dropped are, for example:
 *
 *   OSC 52, 5522            the clipboard                     OSC 4, 5, 10 to 19, 104   colours: the answers are text
 *   OSC 7, 9, 50, 133, 777  directories, notifications, fonts, marks that terminals act on when the command has ended
 *   OSC 1337, APC           files that are stored, images, functions of the terminal's own
 *   DCS                     DECRQSS, XTGETTCAP (answers of text), DECUDK (keys that type a text), sixel, commands of tmux
 *   CSI 20 t, 21 t          titles, as text; others of CSI t move, hide and resize windows
 *   CSI i, CSI ? i          printing; DEC mode 18, 19, too
 *   CSI * y                 a checksum of what others have shown
 *   ENQ, ESC Z              the answerback text
 *   ESC %, ESC SP F or G    another encoding, in which bytes of UTF-8 would be sequences
 *   SOS, PM, ESC k          texts for terminals that no longer exist, and a title without limits
 */
#ifndef BAILEY_RUN_TERMINAL_SEQUENCES_H
#define BAILEY_RUN_TERMINAL_SEQUENCES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum {
        TERMINAL_CSI_MAX = 256,      /* bytes of one; a longer one is dropped */
        TERMINAL_OSC_MAX = 2048 + 8, /* the longest link, which has the longest text */
        TERMINAL_TITLE_MAX = 256,
        TERMINAL_PASSED_MAX = TERMINAL_OSC_MAX + 8, /* of what any of these functions returns */
        TERMINAL_RESTORE_MAX = 1024,
};

/* What may pass of a sequence, written to `ret`; its length, 0: nothing. `body` is what follows CSI, ESC or OSC, without the
 * end of a string. `changed` notes what a shell would have to find as it was. */
size_t terminal_pass_csi(struct str body, uint64_t *changed, char ret[static TERMINAL_PASSED_MAX]);
size_t terminal_pass_escape(struct str body, uint64_t *changed, char ret[static TERMINAL_PASSED_MAX]);
size_t terminal_pass_osc(struct str body, char ret[static TERMINAL_PASSED_MAX]);

/* The same for a control character: may it pass? */
bool terminal_pass_control(unsigned char c, uint64_t *changed);

/* What undoes all that was changed and is still so: returns the length. Allocates nothing. */
size_t terminal_restore(uint64_t changed, char ret[static TERMINAL_RESTORE_MAX]);

#endif
