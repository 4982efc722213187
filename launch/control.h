/*
 * What the process outside asks of the one that waits for the command: each byte is a signal for all inside, the end means
 * that they are to be killed. So does the end of that process: others may hold a copy of its socket, and the kernel's
 * PR_SET_PDEATHSIG would come when only the thread ends that started the command. Allocates nothing.
 */
#ifndef BAILEY_LAUNCH_CONTROL_H
#define BAILEY_LAUNCH_CONTROL_H

#include <stdbool.h>

#include "base/err.h"

struct control {
        int asked;   /* where bytes come in; -1: nobody asks */
        int outside; /* a pidfd of who asks */
        int signals; /* a child has ended */
        int calls;   /* the listener of launch/broker.h; -1: none */
        int mounts;  /* tells when a mount of this namespace has gone or come; -1: nobody wants to know */
};

/* Before the command starts, or its end could be missed. */
int control_open(int asked, int outside, struct control *ret, struct err *err);

/* Has the end come already: nobody outside any more, or who started this wants it no more? Does not wait. */
bool control_alone(const struct control *control);

enum { CONTROL_CALL = -2, CONTROL_GONE = -1, CONTROL_CHILD = 0 };

/* Waits. Returns one of these, or a signal. */
int control_wait(struct control *control);

/* From now on control_wait() tells the process outside when mounts of this namespace change, and hands the namespace to it
 * (launch/cover.h). When all mounts are made, and before the command starts. */
int control_watch_mounts(struct control *control, struct err *err);

#endif
