/*
 * A socket between the supervisor (the process outside) and pid 1 (the process inside that waits for the command), which keeps
 * messages apart. Allocates nothing.
 *
 * Requests to pid 1 are one byte long: a signal for all processes inside, CONTROL_FOREGROUND and a signal,
 * CONTROL_WANTS_SOCKET, or CONTROL_WANTS_PORT and two bytes of a port; end of file means that they are to be killed. So does
 * the exit of the supervisor: others may have a copy of its socket, and PR_SET_PDEATHSIG would also be sent when only the
 * thread that started the command exits.
 */
#ifndef BAILEY_LAUNCH_CONTROL_H
#define BAILEY_LAUNCH_CONTROL_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "launch/egress.h"

enum {
        CONTROL_FOREGROUND = 253,   /* and a signal for the foreground process group only */
        CONTROL_WANTS_PORT = 254,   /* answered with EGRESS_SHELL_PORTs, or not at all */
        CONTROL_WANTS_SOCKET = 255, /* answered with an EGRESS_OUTGOING */
};

/* ---- inside ---- */

struct control {
        int asked;   /* receives requests; -1: none */
        int outside; /* a pidfd of the supervisor */
        int signals; /* readable when a child has ended */
        int calls;   /* the listener of launch/broker.h; -1: none */
        int mounts;  /* mountinfo, polled for mount changes; -1: not watched */
};

/* Call it before the command starts, or its end could be missed. */
int control_open(int asked, int outside, struct control *ret, struct err *err);

/* Returns true if the supervisor has exited or has requested the end. Does not wait. */
bool control_alone(const struct control *control);

enum { CONTROL_CALL = -2, CONTROL_GONE = -1, CONTROL_CHILD = 0, CONTROL_GROUP = 1 << 8 };

/* Waits for an event. Returns one of these, or the number of a signal for all, or CONTROL_GROUP and one for: */
int control_wait(struct control *control);

/* Sends a signal to the group that is in the foreground of the terminal of `command`, which began a session and was not waited
 * for; without a terminal, to its own group. */
void control_signal_group(pid_t command, int number);

/* From now on control_wait() notifies the supervisor when mounts of this namespace change, and passes the namespace to it
 * (launch/cover.h). Call it after all mounts and before the command starts. */
int control_watch_mounts(struct control *control, struct err *err);

/* Passes the page in which the command's shell leaves its state to the supervisor. Call it before the command starts. */
void control_pass_page(int asked, int page);

/* Passes the file of launch/evidence.h, likewise. */
void control_pass_evidence(int asked, int notes);

/* ---- outside ---- */

struct control_message {
        enum control_kind { CONTROL_MOUNTS, CONTROL_EGRESS, CONTROL_TERMINAL, CONTROL_STATE, CONTROL_EVIDENCE } kind;
        int namespace;                /* CONTROL_MOUNTS: where they have changed; -1: that could not be passed */
        struct egress_sockets egress; /* CONTROL_EGRESS; none if they could not be passed */
        int terminal;                 /* CONTROL_TERMINAL: launch/terminal.h; -1: that could not be passed */
        int page;                     /* CONTROL_STATE: the file of launch/warm/state_page.h; CONTROL_EVIDENCE: that of
                                         launch/evidence.h; -1: it could not be passed */
};

/* Receives a message of pid 1, with its files. Returns 1; 0: none now; -1: end of file. */
int control_receive(int socket, struct control_message *ret);

#endif
