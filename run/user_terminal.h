/*
 * The user's own terminal while a command has a terminal of its own (run/terminal_link.h): every key goes to the command, so it
 * is in raw mode; whatever happens, it has its modes back afterwards.
 */
#ifndef BAILEY_RUN_USER_TERMINAL_H
#define BAILEY_RUN_USER_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "base/err.h"
#include "run/terminal_filter.h"

struct user_terminal {
        int in, out; /* `in` < 0: there is none */
        struct termios saved;
        struct user_terminal_shared *shared; /* with the keeper, a process that restores the terminal if this one is killed */
        int keeper;                          /* a pidfd */
        int alive;                           /* its end tells the keeper */
};

/* Begins to use it, if `in` is a terminal. The caller's signal mask decides whether SIGTTOU stops it. */
int user_terminal_begin(struct user_terminal *terminal, int in, int out, struct err *err);

/* As begin() leaves it: where the filter of what is shown is kept, so that the keeper can see what it has changed. */
struct terminal_filter *user_terminal_filter(struct user_terminal *terminal);

/* Into raw mode, and back. Raw only while this process is in the foreground; else the next SIGCONT is the time for it. */
void user_terminal_raw(struct user_terminal *terminal);
void user_terminal_restore(struct user_terminal *terminal);

/* Restores it, and ends the keeper. What the filter changed is restored by whoever writes there. */
void user_terminal_end(struct user_terminal *terminal);

#endif
