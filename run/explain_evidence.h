/*
 * What is seen in a command's output, before anything is made of it.
 */
#ifndef BAILEY_RUN_EXPLAIN_EVIDENCE_H
#define BAILEY_RUN_EXPLAIN_EVIDENCE_H

#include "run/explain.h"

enum { EXPLAIN_PATHS_MAX = 3 }; /* of a kind; an agent that ran into more learns no more from them */

enum sign {
        SIGN_NETWORK = 1 << 0,
        SIGN_DENIED = 1 << 1,
        SIGN_READ_ONLY = 1 << 2,
        SIGN_BUSY = 1 << 3,
        SIGN_MEMORY = 1 << 4,
        SIGN_SYSCALL = 1 << 5,
        SIGN_FILE_SIZE = 1 << 6,
        SIGN_PIDS = 1 << 7,
        SIGN_SPACE = 1 << 8,
        SIGN_OPEN_FILES = 1 << 9,
        SIGN_MISSING = 1 << 10,
        SIGN_LOCALHOST = 1 << 11,
};

struct paths {
        struct str items[EXPLAIN_PATHS_MAX];
        size_t count;
};

struct evidence {
        const struct explain_input *in;
        struct arena *arena;
        struct paths hosts;              /* that the command names, and the policy does not let it reach */
        bool prints_only;                /* what the command prints are not its own failures */
        const struct network_need *need; /* the program to name when there is no network; NULL: none is known */
        struct str output, lower;        /* the part that is looked at; the same in lower case */
        unsigned seen;                   /* signs */
        struct paths masked, protected, outside, hidden;
        bool workspace_read_only;
};

/* `in` and `arena` are given. -1: no memory. */
int explain_gather(struct evidence *evidence);

bool explain_workspace_writable(const struct explain_input *in);

#endif
