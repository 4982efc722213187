/*
 * Starts a launch: the one place where a command is spawned.
 *
 * The process that is started makes the walls, or has a wrapper make them, and ends up as pid 1 of the sandbox; the
 * command is its child. It dies with this process, and with it everything inside.
 */
#ifndef BAILEY_LAUNCH_START_H
#define BAILEY_LAUNCH_START_H

#include "launch/cgroup.h"
#include "sandbox/launch.h"

struct launched {
        pid_t pid;
        bool own_pids;  /* killing `pid` kills all */
        bool tells_end; /* when nothing of the command is left, before the walls go: launch_over() */
        bool killed;
        int pidfd;
        int control;    /* launch/control.h; readable: pid 1 tells that mounts have changed, and hands over its namespace */
        int report_fd;  /* readable: launch_started() or launch_end() have something to read */
        int complaints; /* of a wrapper; -1: there is none */
        uint32_t said;  /* launch/report.h, so far */
        int status;
        uint32_t facts; /* enum report_fact */
        struct err failure;
        struct cgroup group;
        struct contained *contained; /* on Windows: launch/contained_windows.h, and all but this and `pid` is unused */
};

/* The command's 0, 1 and 2. */
struct launch_files {
        int in, out, err;
};

/* Does not wait for the command. On failure nothing is left behind. */
int launch_start(const struct launch *launch, const struct launch_files *files, struct launched *ret, struct err *err);

struct mount_places; /* launch/mount.h */

/*
 * The same, but without the command, which is handed over later, by `ret_work` (launch/warm/warm.h), to a shell that was
 * started with the file `preload` (launch/warm/preload.h), if that is not -1. The caller works for the process of which
 * `outside` is a pidfd: that one is the parent, and not the caller. Also after a failure, it has to wait for `ret->pidfd`, if
 * that is not -1.
 */
int launch_prepare(const struct launch *launch, const struct mount_places *places, int outside, int preload,
                   struct launched *ret, int *ret_work, struct err *err);

/* Does this launch tell when its command runs? */
bool launch_announces(const struct launch *launch);

/* Waits until the command runs, where that is announced. -1: it does not, and launch_end() says why. */
int launch_started(struct launched *launched);

/* Sends a signal to everything inside, as far as it can be reached. */
void launch_signal(struct launched *launched, int number);

/* Kills everything inside, at once. */
void launch_kill(struct launched *launched);

/* Where `tells_end`, and `report_fd` has something to read: has everything inside ended? */
bool launch_over(struct launched *launched);

/*
 * Waits for the end, of which launch_over() or a readable `pidfd` tell, and frees all but `pidfd`. `ret_status` is the
 * command's, as of waitpid(); that of a SIGKILL when it ended without a word. -1: the command never started; ERR_NOT_FOUND:
 * there is no such program.
 */
int launch_end(struct launched *launched, int *ret_status, struct err *err);

/* After launch_end(), and at any time: waits until the walls are gone, too. */
void launch_reap(struct launched *launched);

#endif
