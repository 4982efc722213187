/*
 * The signals that agents can send, by their names.
 */
#ifndef BAILEY_MCP_SIGNALS_H
#define BAILEY_MCP_SIGNALS_H

#include "base/buf.h"

enum signal_use {
        SIGNAL_ENDS = 1 << 0,  /* a command, with all of its processes: KillShell */
        SIGNAL_TELLS = 1 << 1, /* its foreground process group something: BashInput */
};

/* "SIGINT", "INT", in any case. 0: none of these. */
int signal_number(const char *name, enum signal_use use);

/* "SIGINT, SIGTERM or SIGHUP" */
void signal_names(enum signal_use use, struct buf *out);

#endif
