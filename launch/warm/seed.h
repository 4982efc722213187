/*
 * A shell that has been started before anybody has a command for it.
 *
 * Most of the time that `bash -c` takes for a short command passes before its main(): the kernel maps it, the dynamic loader
 * relocates it and asks the processor for all it can do. A sandbox that waits has this behind it. The shell is executed inside
 * the walls, with the environment of the command, and one more variable: LD_PRELOAD names a library (launch/warm/seed/) that
 * waits for the command before main() begins, puts it in its place among the arguments, and takes the variable away. A shell
 * that does not load it, for whatever reason, ends at once, and the command is executed when it comes.
 */
#ifndef BAILEY_LAUNCH_SEED_H
#define BAILEY_LAUNCH_SEED_H

#include "sandbox/launch.h"

/* What the shell has open before its command comes. */
enum {
        SEED_REPORT_FD = LAUNCH_REPORT_FD,
        SEED_WORK_FD = LAUNCH_REPORT_FD + 3, /* launch/warm/handed.h */
        SEED_FILE_FD,                        /* the library */
        SEED_UP_FD,                          /* a byte tells that it waits */
};

#define SEED_VARIABLE "LD_PRELOAD=/proc/self/fd/7"

/* The library as a file; -1: there is none. */
int seed_open(void);

/* Can the command of this launch be put into a shell that runs already, and that does nothing by itself? */
bool seed_suits(const struct launch *launch);

/* In the process that the shell is to be, after vfork(). `up` becomes SEED_UP_FD. */
_Noreturn void seed_become(const struct launch *launch, int up);

/* ---- made by tools/embed-bytes ---- */

extern const unsigned char seed_library[];
extern const unsigned int seed_library_size;

#endif
