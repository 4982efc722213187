/*
 * Between the caller and the terminal that a command has of its own (launch/terminal.h): what is typed goes there, and what is
 * shown there comes back, through run/terminal_filter.h. The command has no file of the caller's terminal: it cannot read what
 * is typed for others, change its modes, or type into it.
 *
 *   keys      are bytes: the terminal's own line discipline makes signals of Ctrl-C, Ctrl-\ and Ctrl-Z, inside
 *   the size  follows the caller's terminal
 *   input that ends, as a file does, is typed as Ctrl-D
 */
#ifndef BAILEY_RUN_TERMINAL_LINK_H
#define BAILEY_RUN_TERMINAL_LINK_H

#include <poll.h>

#include "base/err.h"
#include "run/stream.h"
#include "sandbox/launch.h"

struct terminal_setup {
        int in, out;         /* 0 or less: nothing is typed, what is shown goes nowhere */
        int signals;         /* of SIGWINCH, SIGTSTP, SIGCONT: a signalfd that does not block; 0 or less: none */
        struct stream *seen; /* gets a copy of what the command shows; NULL: none */
};

/* What is known before the command starts: the size; and whether its stderr is to go another way. */
void terminal_link_plan(const struct terminal_setup *setup, int err_fd, struct launch_terminal *ret);

enum { TERMINAL_LINK_POLLS = 3 };

struct terminal_link;

int terminal_link_open(const struct terminal_setup *setup, struct terminal_link **ret, struct err *err);

/* The command's terminal is there: `master` belongs to the link from now on; -1: it could not be passed. */
int terminal_link_begin(struct terminal_link *link, int master, struct err *err);

/* What to wait for, and what to do then. */
void terminal_link_poll(const struct terminal_link *link, struct pollfd fds[static TERMINAL_LINK_POLLS]);
void terminal_link_step(struct terminal_link *link, const struct pollfd fds[static TERMINAL_LINK_POLLS]);

/* The command has ended: shows the rest, until `deadline` (monotonic), and leaves the caller's terminal as it was. NULL is
 * fine. */
void terminal_link_close(struct terminal_link *link, int64_t deadline);

#endif
