/*
 * Starts a launch: the one place where a command is spawned.
 *
 * The new process sets up the sandbox, or has a wrapper do it, and becomes pid 1 of the sandbox; the command is its child. It
 * dies with this process, and with it everything inside.
 */
#ifndef BAILEY_LAUNCH_START_H
#define BAILEY_LAUNCH_START_H

#include "launch/cgroup.h"
#include "sandbox/launch.h"

struct launched {
        pid_t pid;
        bool own_pids;  /* killing `pid` kills all processes inside */
        bool tells_end; /* reports when all processes have ended, before the sandbox is torn down: launch_over() */
        bool killed;
        int pidfd;
        int control;    /* launch/control.h; readable: control_receive() */
        int report_fd;  /* readable: launch_started() or launch_end() have something to read */
        int complaints; /* error messages of a wrapper; -1: none */
        uint32_t said;  /* launch/report.h, so far */
        int status;
        uint32_t facts; /* enum report_fact */
        struct err failure;
        struct cgroup group;
        struct contained *contained; /* on Windows: launch/parts_windows.h, and all but this and `pid` is unused */
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
 * `outside` is a pidfd, which becomes the parent instead of the caller. It has to wait for `ret->pidfd`, if that is not -1,
 * even after a failure.
 */
int launch_prepare(const struct launch *launch, const struct mount_places *places, int outside, int preload,
                   struct launched *ret, int *ret_work, struct err *err);

/* Returns true if this launch reports when its command runs. */
bool launch_announces(const struct launch *launch);

/* Waits until the command runs, if that is announced. Returns -1 if it does not run; launch_end() says why. */
int launch_started(struct launched *launched);

/* Sends a signal to all processes inside that can be reached. */
void launch_signal(struct launched *launched, int number);

/* The same for the foreground process group, where there is one to be told from the rest. */
void launch_signal_foreground(struct launched *launched, int number);

/* Requests a socket that is made inside; it comes as an EGRESS_OUTGOING (launch/egress.h). -1: the sandbox has ended. */
int launch_request_socket(struct launched *launched);

/* The same for listeners at a port of its localhost, as EGRESS_SHELL_PORT; there may come none. */
int launch_request_port(struct launched *launched, uint16_t port);

/* Kills everything inside, at once. */
void launch_kill(struct launched *launched);

/* With `tells_end`, when `report_fd` is readable: returns true if all processes inside have ended. */
bool launch_over(struct launched *launched);

/*
 * Waits for the end, which launch_over() or a readable `pidfd` indicate, and frees all but `pidfd`. `ret_status` is the
 * command's, as of waitpid(); that of a SIGKILL if it ended without a report. -1: the command never started; ERR_NOT_FOUND:
 * the program does not exist.
 */
int launch_end(struct launched *launched, int *ret_status, struct err *err);

/* At any time after launch_end(): waits until the sandbox is torn down. */
void launch_reap(struct launched *launched);

/* ---- of common.c, for start*.c and inside.c ---- */

/* Receives one record. Returns false if there are no more. */
bool launch_hear(struct launched *launched);

/* Sets the limits of this process, except those that are stricter already. */
int limits_apply(const struct launch *launch, struct err *err);

#endif
