/*
 * The last steps, inside the namespaces if there are any: limits, Landlock, privileges, system calls; then starts the command,
 * waits for it, and kills all of its processes.
 */
#ifndef BAILEY_LAUNCH_INSIDE_H
#define BAILEY_LAUNCH_INSIDE_H

#include "sandbox/launch.h"

struct inside_files {
        int report;  /* for reports, launch/report.h */
        int asked;   /* for requests, launch/control.h */
        int outside; /* a pidfd of the supervisor */
        int work;    /* the command comes from here, with its 0, 1 and 2: launch/warm/warm.h; -1: it is in the launch */
        int preload; /* with `work`: launch/warm/preload.h; -1: none */
        int run;     /* what mount_all() wants to stay open until the command has ended; -1: nothing */
        int roots;   /* the first of the directories that brokered calls work in: launch/broker.h */
};

/* Signals are as clone_reset_signals() leaves them, and without `work`, 0, 1 and 2 are the command's already. Never returns. */
_Noreturn void inside_run(const struct launch *launch, const struct inside_files *files);

#endif
