/*
 * A command as it is sent to a warm sandbox: one record on a socket, with its files.
 */
#ifndef BAILEY_LAUNCH_HANDED_H
#define BAILEY_LAUNCH_HANDED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/err.h"
#include "sandbox/launch.h"

enum {
        MESSAGE_WORDS_MAX = 64,       /* of a command; with more, or more text, it is started in a new sandbox */
        MESSAGE_TEXT_MAX = 128 << 10, /* the kernel takes no longer word, and the socket hardly a longer record */
        MESSAGE_VARIABLES_MAX = 512,
        MESSAGE_PARTS_MAX = MESSAGE_WORDS_MAX + MESSAGE_VARIABLES_MAX + 3,
};

/* What its first bytes say. */
struct command_message_head {
        uint32_t words, variables;
        uint32_t leaves_state; /* not 0: its shell fills in a page (launch/warm/state_page.h) */
};

/* What came, for as long as the process lives. The words stand one behind the other, up to `words_end`, and so do the variables
 * after them, up to `end`. */
struct command_message {
        const char *program, *cwd;
        const char *argv[MESSAGE_WORDS_MAX + 1];
        const char *envp[MESSAGE_VARIABLES_MAX + 1];
        const char *words_end, *end;
        struct {
                struct command_message_head head;
                char text[MESSAGE_TEXT_MAX];
        } record;
};

/* Builds the record, of which `head` is a part. Returns the number of its parts; 0: it is too large. */
size_t command_message_gather(const struct launch *launch, struct command_message_head *head,
                              struct iovec ret[static MESSAGE_PARTS_MAX]);

/* Allocates memory for one. NULL: out of memory. A library has no static memory for it, and a thread's stack may be small. */
struct command_message *command_message_new(struct err *err);

/* Waits for the command, and makes its files 0, 1 and 2. Exits if the socket is closed. */
int command_message_receive(int work, struct command_message *ret, struct err *err);

#endif
