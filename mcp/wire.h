/*
 * Lines in, lines out. Reads and writes without waiting; a line that is too long is skipped, and told about.
 */
#ifndef BAILEY_MCP_WIRE_H
#define BAILEY_MCP_WIRE_H

#include "base/buf.h"
#include "base/err.h"

enum {
        WIRE_LINE_MAX = 8 << 20,
        WIRE_OUT_MAX = 256 << 20,
        WIRE_FULL = 16 << 20, /* no new work is taken in while more than that waits to be read by the client */
};

struct wire {
        int in, out;
        int out_flags; /* as they were */
        struct buf line;
        bool too_long; /* the rest of the line is skipped */
        struct buf queue;
        size_t sent; /* of the queue */
        bool behind; /* the client has not read all that was there when it was last sent */
};

int wire_open(struct wire *wire, int in, int out, struct err *err);
void wire_close(struct wire *wire);

/* One read(). Returns 1 when there may be more later, 0 at the end. Calls `take` for each line, without its end, which the last
 * one need not have; for one that is too long once, with nothing. */
typedef void wire_take(void *context, struct str line, bool too_long);
int wire_read(struct wire *wire, wire_take *take, void *context);

/* Bytes that are still to be sent. */
size_t wire_pending(const struct wire *wire);

/* As much as possible. -1: the client is gone. */
int wire_flush(struct wire *wire);

#endif
