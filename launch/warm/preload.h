/*
 * A shell that is started before its command is known.
 *
 * Most of the time that `bash -c` takes for a short command passes before its main(): the kernel maps it, the dynamic loader
 * relocates it and queries CPU features. A warm sandbox has already done this. The shell is executed inside the
 * sandbox, and LD_PRELOAD names a library (launch/warm/preload/) that waits for the command before main() begins, and puts it
 * and its variables in their place. A shell that does not load it ends at once, and the command is executed when it arrives.
 *
 * A shell that is to leave its state (launch/warm/state_page.h) is started like this, too, when its command is known.
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
        PRELOAD_STATE_FD,                       /* launch/warm/state_page.h; it need not be there */
};

/* What becomes of these, wherever they are now; -1: there is none. */
struct preload_files {
        int work, file, up, page;
};

#define PRELOAD_VARIABLE "LD_PRELOAD=/proc/self/fd/7"

/* Returns the library as a file; -1: not available. */
int preload_open(void);

/* Returns true if the command of this launch can run in a shell that was started before, and that runs no other code first. */
bool preload_suits(const struct launch *launch);

/* In the process that becomes the shell, after vfork(). */
_Noreturn void preload_become(const struct launch *launch, const struct preload_files *files);

/* ---- made by tools/embed-bytes ---- */

extern const unsigned char preload_library[];
extern const unsigned int preload_library_size;

#endif
