/*
 * What a command's programs could have to do with its failure.
 */
#ifndef BAILEY_RUN_EXPLAIN_COMMAND_H
#define BAILEY_RUN_EXPLAIN_COMMAND_H

#include "base/arena.h"
#include "base/str.h"

enum { EXPLAIN_TARGETS_MAX = 16 };

struct explain_command {
        bool network;                            /* runs a program that needs the network, and not only that of localhost */
        bool local;                              /* runs one that talks to localhost */
        bool network_code;                       /* the exit code is that program's, and the one it has for having no network */
        bool prints_only;                        /* shows what is in files, so that what it prints are not its own troubles */
        struct str program;                      /* the one that needs the network: "git clone" */
        struct str targets[EXPLAIN_TARGETS_MAX]; /* that it redirects output to */
        size_t target_count;
};

/* -1 only without memory. A command that cannot be read in full is read as far as it can be. */
int explain_command(struct str command, int exit_code, struct arena *arena, struct explain_command *ret);

#endif
