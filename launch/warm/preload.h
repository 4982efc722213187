/*
 * A shell that is started before its command is known.
 *
 * Most of the time that `bash -c` takes for a short command passes before its main(): the kernel maps it, the dynamic loader
 * relocates it and queries CPU features. A warm sandbox has already done this. The shell is executed inside the
 * sandbox, with the environment of the command, and one more variable: LD_PRELOAD names a library (launch/warm/preload/) that
 * waits for the command before main() begins, puts it in its place among the arguments, and takes the variable away. A shell
 * that does not load it ends at once, and the command is executed when it arrives.
 */
#ifndef BAILEY_LAUNCH_PRELOAD_H
#define BAILEY_LAUNCH_PRELOAD_H

#include "sandbox/launch.h"

/* Descriptors of the shell before its command arrives. */
enum {
        PRELOAD_REPORT_FD = LAUNCH_REPORT_FD,
        PRELOAD_WORK_FD = LAUNCH_REPORT_FD + 3, /* launch/warm/command_message.h */
        PRELOAD_FILE_FD,                        /* the library */
        PRELOAD_UP_FD,                          /* receives a byte when it waits */
};

#define PRELOAD_VARIABLE "LD_PRELOAD=/proc/self/fd/7"

/* Returns the library as a file; -1: not available. */
int preload_open(void);

/* Returns true if the command of this launch can run in a shell that was started before, and that runs no other code first. */
bool preload_suits(const struct launch *launch);

/* In the process that becomes the shell, after vfork(). `up` becomes PRELOAD_UP_FD. */
_Noreturn void preload_become(const struct launch *launch, int up);

/* ---- made by tools/embed-bytes ---- */

extern const unsigned char preload_library[];
extern const unsigned int preload_library_size;

#endif
