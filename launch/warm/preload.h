/*
 * A shell that has been started before anybody has a command for it.
 *
 * Most of the time that `bash -c` takes for a short command passes before its main(): the kernel maps it, the dynamic loader
 * relocates it and asks the processor for all it can do. A sandbox that waits has this behind it. The shell is executed inside
 * the walls, with the environment of the command, and one more variable: LD_PRELOAD names a library (launch/warm/preload/) that
 * waits for the command before main() begins, puts it in its place among the arguments, and takes the variable away. A shell
 * that does not load it, for whatever reason, ends at once, and the command is executed when it comes.
 */
#ifndef BAILEY_LAUNCH_PRELOAD_H
#define BAILEY_LAUNCH_PRELOAD_H

#include "sandbox/launch.h"

/* What the shell has open before its command comes. */
enum {
        PRELOAD_REPORT_FD = LAUNCH_REPORT_FD,
        PRELOAD_WORK_FD = LAUNCH_REPORT_FD + 3, /* launch/warm/command_message.h */
        PRELOAD_FILE_FD,                        /* the library */
        PRELOAD_UP_FD,                          /* a byte tells that it waits */
};

#define PRELOAD_VARIABLE "LD_PRELOAD=/proc/self/fd/7"

/* The library as a file; -1: there is none. */
int preload_open(void);

/* Can the command of this launch be put into a shell that runs already, and that does nothing by itself? */
bool preload_suits(const struct launch *launch);

/* In the process that the shell is to be, after vfork(). `up` becomes PRELOAD_UP_FD. */
_Noreturn void preload_become(const struct launch *launch, int up);

/* ---- made by tools/embed-bytes ---- */

extern const unsigned char preload_library[];
extern const unsigned int preload_library_size;

#endif
