#include "mcp/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 64 << 10 };

int wire_open(struct wire *wire, int in, int out, struct err *err) {
        *wire = (struct wire){ .in = in, .out = out, .out_flags = fcntl(out, F_GETFL) };
        buf_init(&wire->line, WIRE_LINE_MAX);
        buf_init(&wire->queue, WIRE_OUT_MAX);
        if (wire->out_flags < 0 || fcntl(out, F_SETFL, wire->out_flags | O_NONBLOCK) < 0)
                return err_sys(err, "stdout");
        return 0;
}

void wire_close(struct wire *wire) {
        if (wire->out_flags >= 0)
                fcntl(wire->out, F_SETFL, wire->out_flags);
        buf_free(&wire->line);
        buf_free(&wire->queue);
}

/* ---- in ---- */

static void end_line(struct wire *wire, wire_take *take, void *context) {
        struct str line = buf_str(&wire->line);

        if (line.len && line.ptr[line.len - 1] == '\r')
                line.len--;
        take(context, wire->too_long ? STR("") : line, wire->too_long);
        wire->too_long = false;
        if (wire->line.cap > CHUNK) { /* a large one came by: that is no reason to keep its memory */
                buf_free(&wire->line);
                buf_init(&wire->line, WIRE_LINE_MAX);
        }
        buf_clear(&wire->line);
}

int wire_read(struct wire *wire, wire_take *take, void *context) {
        char chunk[CHUNK];
        ssize_t got = read(wire->in, chunk, sizeof(chunk));
        struct str rest = str_from(chunk, got > 0 ? (size_t)got : 0);

        if (got < 0)
                return errno == EINTR || errno == EAGAIN;
        while (rest.len) {
                size_t len = str_find(rest, '\n');

                if (!wire->too_long)
                        buf_append(&wire->line, str_take(rest, len));
                if (wire->line.failed) {
                        wire->too_long = true;
                        buf_clear(&wire->line);
                }
                if (len < rest.len)
                        end_line(wire, take, context);
                rest = str_skip(rest, len + 1);
        }
        if (got == 0 && (wire->line.len || wire->too_long))
                end_line(wire, take, context); /* the last one may have no end of its own */
        return got > 0;
}

/* ---- out ---- */

size_t wire_pending(const struct wire *wire) {
        return wire->queue.len - wire->sent;
}

/* What was sent goes once it is more than what is still to be sent: a client that is always a little behind must not make the
 * queue grow for ever. */
static void forget_sent(struct wire *wire) {
        size_t pending = wire_pending(wire);

        if (wire->sent < CHUNK || wire->sent < pending)
                return;
        memmove(wire->queue.ptr, wire->queue.ptr + wire->sent, pending);
        wire->queue.len = pending;
        wire->sent = 0;
}

int wire_flush(struct wire *wire) {
        while (wire_pending(wire)) {
                ssize_t put = write(wire->out, wire->queue.ptr + wire->sent, wire_pending(wire));

                if (put < 0 && errno == EINTR)
                        continue;
                if (put < 0 && errno == EAGAIN) {
                        wire->behind = true;
                        forget_sent(wire);
                        return 0;
                }
                if (put < 0)
                        return -1;
                wire->sent += (size_t)put;
        }
        if (wire->queue.cap > CHUNK) {
                buf_free(&wire->queue);
                buf_init(&wire->queue, WIRE_OUT_MAX);
        }
        buf_clear(&wire->queue);
        wire->sent = 0;
        wire->behind = false;
        return 0;
}
