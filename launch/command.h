/*
 * Runs a program of the host to its end, without a sandbox: bounded in time and output. It is killed when this process ends.
 * For engines' clients only.
 */
#ifndef BAILEY_LAUNCH_COMMAND_H
#define BAILEY_LAUNCH_COMMAND_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct command {
        const char *const *argv; /* argv[0] is a path */
        const char *const *envp;
        int64_t timeout; /* nanoseconds */
        int in;          /* its 0; -1: nothing to read */
        int out, err;    /* its 1 and 2; -1: kept, see below */
};

struct command_end {
        int status;     /* as of waitpid() */
        struct buf out; /* what it printed; what does not fit is lost */
        char said[200]; /* the last line of its 2 */
        bool timed_out; /* and was killed */
};

/* Fails only when it could not be started. `ret->out` is initialised by the caller, who frees it, too. */
int command_run(const struct command *command, struct command_end *ret, struct err *err);

/* Returns 0 if it exited with 0. Otherwise the error says how it ended, with its own error message. */
int command_check(const struct command *command, const struct command_end *end, struct err *err);

#endif
