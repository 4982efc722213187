/*
 * The last steps, taken inside the walls that namespaces make, or alone where there are none: limits, Landlock,
 * privileges, system calls; then the command is started, waited for, and nothing of it is left.
 */
#ifndef BAILEY_LAUNCH_INSIDE_H
#define BAILEY_LAUNCH_INSIDE_H

#include "sandbox/launch.h"

struct inside_files {
        int report;  /* what is told, launch/report.h */
        int asked;   /* what is wanted of it, launch/control.h */
        int outside; /* a pidfd of who wants it */
        int work;    /* the command comes from here, with its 0, 1 and 2: launch/warm/warm.h; -1: it is in the launch */
        int preload; /* where it does: launch/warm/preload.h; -1: there is none */
        int roots;   /* the first of the directories that brokered calls work in: launch/broker.h */
};

/* Signals are as clone_reset_signals() leaves them, and without `work`, 0, 1 and 2 are the command's already. Never returns. */
_Noreturn void inside_run(const struct launch *launch, const struct inside_files *files);

#endif
