/*
 * Runs a launch to its end: waits for the command, its deadline, or somebody's wish to cancel, and captures its output.
 * The end is the command's exit, never the end of its output, which a daemon may hold open.
 */
#ifndef BAILEY_RUN_FOREGROUND_H
#define BAILEY_RUN_FOREGROUND_H

#include <stdint.h>

#include "launch/start.h"
#include "run/capture.h"

struct foreground {
        const struct launch *launch;
        struct capture *capture; /* takes stdout and stderr; NULL: they go to `out` and `err` unchanged */
        int out, err;
        int64_t timeout;                /* nanoseconds; 0: none */
        int64_t drain;                  /* how long those who take the output may keep us after the end */
        int cancel_fd;                  /* readable: cancel; -1: none */
        void (*started)(void *context); /* if the launch announces it */
        void *context;
};

struct outcome {
        int status; /* as of waitpid() */
        bool timed_out, cancelled, memory_killed;
        int64_t duration; /* nanoseconds */
};

/* Fails only when the command did not start. */
int foreground_run(const struct foreground *foreground, struct outcome *ret, struct err *err);

#endif
