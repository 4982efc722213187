#include "gateway/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "gateway/connection.h"
#include "gateway/forwarded.h"
#include "gateway/proxy_answer.h"

enum {
        FORWARD_HEADS = 8 << 10, /* read at once where requests begin: each gets longer */
        FORWARD_MAX = 1 << 20,   /* written for these */
        ROUNDS = 8,              /* of a direction in a turn: nobody waits for a fast stream */
        STUCK = 0,               /* nothing more to do until the kernel says so */
        MOVED = 1,
        BROKEN = -1,
};

/* ---- pipes ---- */

static bool pipe_open(struct relay_pipe *pipe) {
        if (pipe->opened)
                return true;
        if (pipe2(pipe->ends, O_CLOEXEC | O_NONBLOCK) < 0)
                return false;
        fcntl(pipe->ends[1], F_SETPIPE_SZ, LOOP_BUFFER); /* or as large as it is */
        pipe->opened = true;
        return true;
}

static struct relay_pipe *pipe_borrow(struct gateway *gateway) {
        for (size_t i = 0; i < RELAY_PIPES; i++) {
                struct relay_pipe *pipe = &gateway->pipes->items[i];

                if (!pipe->used && pipe_open(pipe)) {
                        pipe->used = true;
                        return pipe;
                }
        }
        return NULL;
}

/* Bytes of one connection must not get into another: a pipe that is not empty is not used again. */
static void pipe_return(struct side *side) {
        struct relay_pipe *pipe = side->pipe;

        if (!pipe)
                return;
        side->pipe = NULL;
        if (pipe->held) {
                fd_close(pipe->ends[0]);
                fd_close(pipe->ends[1]);
                *pipe = (struct relay_pipe){};
        }
        pipe->used = false;
}

/* ---- what is kept ---- */

static void drop_kept(struct gateway *gateway, struct side *side) {
        if (!side->kept)
                return;
        gateway->kept -= side->kept_at + side->kept_len;
        free(side->kept);
        side->kept = NULL;
        side->kept_at = side->kept_len = 0;
}

static int keep(struct gateway *gateway, struct side *side, const uint8_t *bytes, size_t len) {
        side->kept = malloc(len);
        if (!side->kept)
                return BROKEN;
        memcpy(side->kept, bytes, len);
        side->kept_len = (uint32_t)len;
        gateway->kept += len;
        return STUCK;
}

static void count(struct connection *connection, struct side *from, size_t len) {
        struct command *command = connection->command;
        bool up = (from == &connection->sides[COMMAND_SIDE]) != connection->published;

        from->bytes += len;
        *(up ? &command->up : &command->down) += len;
        if (connection->row)
                *(up ? &connection->row->up : &connection->row->down) += len;
}

void relay_count(struct connection *connection, uint64_t up, uint64_t down) {
        connection->command->up += up;
        connection->command->down += down;
        if (connection->row) {
                connection->row->up += up;
                connection->row->down += down;
        }
}

/* ---- one direction ---- */

static int send_kept(struct gateway *gateway, struct connection *connection, struct side *from, struct side *to) {
        ssize_t n = send(to->watch.fd, from->kept + from->kept_at, from->kept_len, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (n < 0)
                return errno == EAGAIN || errno == EINTR ? STUCK : BROKEN;
        count(connection, from, (size_t)n);
        from->kept_at += (uint32_t)n;
        from->kept_len -= (uint32_t)n;
        if (from->kept_len)
                return STUCK;
        drop_kept(gateway, from);
        return MOVED;
}

static int copy(struct gateway *gateway, struct connection *connection, struct side *from, struct side *to) {
        size_t room = gateway->kept < LOOP_KEPT_MAX ? LOOP_BUFFER : LOOP_KEPT_SMALL;
        ssize_t n = recv(from->watch.fd, gateway->buffer, room, MSG_DONTWAIT), sent;

        if (n < 0)
                return errno == EAGAIN || errno == EINTR ? STUCK : BROKEN;
        if (n == 0) {
                from->eof = true;
                return STUCK;
        }
        from->quiet = (size_t)n < room && !from->hasty;
        sent = send(to->watch.fd, gateway->buffer, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) {
                if (errno != EAGAIN && errno != EINTR)
                        return BROKEN;
                sent = 0;
        }
        count(connection, from, (size_t)sent);
        return sent < n ? keep(gateway, from, gateway->buffer + sent, (size_t)(n - sent)) : MOVED;
}

/* Requests to a proxy: heads are read and written anew. */
static int forward(struct gateway *gateway, struct connection *connection, struct side *from, struct side *to) {
        struct forwarded *forwarded = connection->forwarded;
        size_t room = !forwarded->left ? FORWARD_HEADS : forwarded->left < LOOP_BUFFER ? forwarded->left : LOOP_BUFFER;
        ssize_t n = recv(from->watch.fd, gateway->buffer, room, MSG_DONTWAIT), sent = 0;
        BUF_AUTO out;

        buf_init(&out, FORWARD_MAX);
        if (n < 0)
                return errno == EAGAIN || errno == EINTR ? STUCK : BROKEN;
        if (n == 0) {
                from->eof = true;
                return STUCK;
        }
        if (forwarded_feed(forwarded, str_from((char *)gateway->buffer, (size_t)n), &out) < 0 || out.failed)
                return BROKEN;
        if (out.len)
                sent = send(to->watch.fd, out.ptr, out.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) {
                if (errno != EAGAIN && errno != EINTR)
                        return BROKEN;
                sent = 0;
        }
        count(connection, from, (size_t)sent);
        return (size_t)sent < out.len ? keep(gateway, from, (uint8_t *)out.ptr + sent, out.len - (size_t)sent) : MOVED;
}

/* A proxy that wants another password says so instead of the host. */
static bool wants_login(const struct connection *connection) {
        const struct side *side = &connection->sides[OUTSIDE];
        char bytes[12];

        return !side->bytes && !side->kept &&
               recv(side->watch.fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT) == sizeof(bytes) &&
               memcmp(bytes, "HTTP/1.", 7) == 0 && memcmp(bytes + 8, " 407", 4) == 0;
}

bool relay_tell(struct gateway *gateway, struct connection *connection) {
        const struct forwarded *forwarded = connection->forwarded;
        struct refusal refusal = { .by = GATEWAY_BY_HTTP, .reason = GATEWAY_NO_NAME, .port = connection->port };
        char text[128];

        if (!forwarded || (!forwarded->bad && !forwarded->login_refused))
                return false;
        refusal.host = forwarded->host;
        if (forwarded->login_refused) {
                proxy_status_text(407, text, sizeof(text));
                refusal.reason = GATEWAY_PROXY;
                refusal.text = text;
        }
        /* not into the middle of what the host says */
        connection_refuse(gateway, connection, &refusal, connection->sides[OUTSIDE].bytes ? SPEAKS_OTHER : SPEAKS_HTTP,
                          forwarded->bad ? 403 : 502);
        return true;
}

static int splice_out(struct connection *connection, struct side *from, struct side *to) {
        ssize_t n;

        if (!from->pipe->held)
                return STUCK;
        n = splice(from->pipe->ends[0], NULL, to->watch.fd, NULL, from->pipe->held, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
        if (n < 0)
                return errno == EAGAIN || errno == EINTR ? STUCK : BROKEN;
        from->pipe->held -= (size_t)n;
        count(connection, from, (size_t)n);
        return n ? MOVED : STUCK;
}

static int splice_round(struct connection *connection, struct side *from, struct side *to) {
        ssize_t n = 0;
        int out;

        if (!from->eof && from->pipe->held < LOOP_BUFFER) {
                n = splice(from->watch.fd, NULL, from->pipe->ends[1], NULL, LOOP_BUFFER - from->pipe->held,
                           SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
                if (n < 0 && errno != EAGAIN && errno != EINTR)
                        return BROKEN;
                from->quiet = n < 0 && errno == EAGAIN && !from->pipe->held; /* else the pipe may be full */
                if (n == 0)
                        from->eof = true;
                if (n > 0)
                        from->pipe->held += (size_t)n;
        }
        out = splice_out(connection, from, to);
        if (out == BROKEN)
                return BROKEN;
        return out == MOVED ? MOVED : STUCK; /* if it takes nothing now, it will say so when it does */
}

static int move(struct gateway *gateway, struct connection *connection, struct side *from, struct side *to) {
        if (from->kept)
                return send_kept(gateway, connection, from, to);
        if (connection->forwarded && from == &connection->sides[COMMAND_SIDE])
                return from->eof ? STUCK : forward(gateway, connection, from, to);
        if (connection->forwarded && wants_login(connection)) {
                connection->forwarded->login_refused = true;
                return BROKEN;
        }
        if (!from->pipe && (from->eof || from->quiet))
                return STUCK;
        if (!from->pipe && from->bytes >= RELAY_SPLICE_FROM)
                from->pipe = pipe_borrow(gateway);
        return from->pipe ? splice_round(connection, from, to) : copy(gateway, connection, from, to);
}

/* The end of what came from one side is passed on when the other has it all. */
static void pass_end(struct side *from, struct side *to) {
        if (from->pipe && !from->pipe->held)
                pipe_return(from);
        if (from->eof && !from->kept && !from->pipe && !to->shut) {
                if (!from->shut) /* else it is closed now, as the last of both directions */
                        shutdown(to->watch.fd, SHUT_WR);
                to->shut = true;
        }
}

static int pump(struct gateway *gateway, struct connection *connection, int which) {
        struct side *from = &connection->sides[which], *to = &connection->sides[!which];
        int result = MOVED;

        if (to->shut)
                return STUCK;
        for (int i = 0; i < ROUNDS && result == MOVED; i++)
                result = move(gateway, connection, from, to);
        if (result != BROKEN)
                pass_end(from, to);
        return result;
}

int relay_turn(struct gateway *gateway, struct connection *connection) {
        int outward = connection->looking ? STUCK : pump(gateway, connection, COMMAND_SIDE), inward;

        if (outward == BROKEN)
                return -1;
        inward = pump(gateway, connection, OUTSIDE);
        return inward == BROKEN ? -1 : outward == MOVED || inward == MOVED;
}

bool relay_ended(const struct connection *connection) {
        return connection->sides[0].shut && connection->sides[1].shut;
}

void relay_drop(struct gateway *gateway, struct connection *connection) {
        for (int i = 0; i < 2; i++) {
                pipe_return(&connection->sides[i]);
                drop_kept(gateway, &connection->sides[i]);
        }
}
