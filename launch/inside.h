/*
 * Inside of a sandbox: pid 1, and the steps until the command runs.
 */
#ifndef BAILEY_LAUNCH_INSIDE_H
#define BAILEY_LAUNCH_INSIDE_H

#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "home/home.h"
#include "launch/control.h"
#include "sandbox/launch.h"

/*
 * The last steps, inside the namespaces if there are any: limits, Landlock, privileges, system calls; then starts the command,
 * waits for it, and kills all of its processes.
 */

struct inside_files {
        int report;          /* for reports, launch/report.h */
        int asked;           /* for requests, launch/control.h */
        int outside;         /* a pidfd of the supervisor */
        int work;            /* the command comes from here, with its 0, 1 and 2: launch/warm/warm.h; -1: it is in the launch */
        int preload;         /* launch/warm/preload.h, with `work` or if the shell leaves its state; -1: none */
        int roots;           /* the first of the directories that brokered calls work in: launch/broker.h */
        struct home_run run; /* what mount_all() wants to stay open until the command has ended */
};

/* Signals are as clone_reset_signals() leaves them, and without `work`, 0, 1 and 2 are the command's already. Never returns. */
_Noreturn void inside_run(const struct launch *launch, const struct inside_files *files);

/*
 * Tracks all descendants of a command without a pid namespace: orphans become children of this process.
 */

int descendants_adopt(struct err *err);

/* Waits until the command ends or the supervisor exits. Then kills what is left; returns the command's status. A requested
 * signal is sent to the children of this process and to their groups. */
int descendants_wait(pid_t command, struct control *control);

/*
 * Applies a Landlock plan to this process. The rights asked for are all that this kernel's Landlock knows.
 */

/* `terminal`: an open terminal, which can be opened again by its path and used; -1: none. */
int landlock_apply(const struct landlock_plan *plan, int terminal, struct err *err);

/*
 * Executes the command in the calling process. Does not return.
 */

/* A program without a slash is looked up in the PATH of `envp`. A failure is reported. */
_Noreturn void execute_or_report(const char *program, const char *const *argv, const char *const *envp, int report_fd);

/*
 * Serialises the inside part of a launch to an fd, for this program when a wrapper starts it again.
 */

/* Returns a sealed fd. */
int blob_write(const struct launch *launch, struct err *err);
int blob_read(int fd, struct arena *arena, struct launch *ret, struct err *err);

#endif
