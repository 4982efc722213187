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
        bool own_pids; /* killing `pid` kills all */
        int pidfd;
        int lifeline;  /* when it closes, everything inside is killed, where `own_pids` does not do */
        int report_fd; /* what is told from inside; see launch_end() */
        struct cgroup group;
};

/* The command's 0, 1 and 2. */
struct launch_files {
        int in, out, err;
};

/* Returns once the command runs, if that is announced; else at once. On failure nothing is left behind. */
int launch_start(const struct launch *launch, const struct launch_files *files, struct launched *ret, struct err *err);

/* Kills everything inside, at once. */
void launch_kill(struct launched *launched);

/*
 * Waits for the end, of which `pidfd` tells by being readable, and frees. `ret_status` is the command's, as of waitpid(); that
 * of a SIGKILL when it ended without a word. -1: the command never started; ERR_NOT_FOUND: there is no such program.
 */
int launch_end(struct launched *launched, int *ret_status, struct err *err);

#endif
