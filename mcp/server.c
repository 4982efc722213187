#include "mcp/server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "mcp/call.h"

#define LAST_WORDS (TIME_SECOND / 2) /* for a client that does not read, after the end */

/* ---- calls ---- */

static void take_event(struct mcp_server *server, const struct bailey_event *event) {
        struct call *next;

        for (struct call *call = server->calls; call; call = next) {
                next = call->next;
                if (!call->done && strcmp(call->shell, event->id) == 0)
                        call_hear(server, call, event->kind);
        }
}

void server_work(struct mcp_server *server) {
        struct bailey_event event;

        while (bailey_session_event(server->session, &event) == 1)
                take_event(server, &event);
        for (struct call *call = server->calls; call; call = call->next)
                call_due(server, call);
        calls_drop_done(server);
}

/* ---- the loop ---- */

enum { FD_IN, FD_OUT, FD_STOP, FD_SESSION, FD_CHILDREN };

static size_t poll_fds(struct mcp_server *server, struct pollfd *fds) {
        size_t count = FD_CHILDREN, waiting = wire_pending(&server->wire);

        fds[FD_IN] = (struct pollfd){ .fd = server->wire.in, .events = waiting < WIRE_FULL ? POLLIN : POLLRDHUP };
        fds[FD_OUT] = (struct pollfd){ .fd = waiting ? server->wire.out : -1, .events = POLLOUT };
        fds[FD_STOP] = (struct pollfd){ .fd = server->options->stop_fd, .events = POLLIN };
        fds[FD_SESSION] = (struct pollfd){ .fd = bailey_session_fd(server->session), .events = POLLIN };
        for (struct call *call = server->calls; call; call = call->next)
                if (call->child_fd >= 0)
                        fds[count++] = (struct pollfd){ .fd = call->child_fd, .events = POLLIN };
        return count;
}

static int64_t next_deadline(const struct mcp_server *server) {
        int64_t next = 0;

        for (const struct call *call = server->calls; call; call = call->next) {
                int64_t at = call_deadline(server, call);

                if (at && (!next || at < next))
                        next = at;
        }
        return next;
}

static void read_children(struct mcp_server *server, const struct pollfd *fds, size_t count) {
        for (struct call *call = server->calls; call; call = call->next)
                for (size_t i = FD_CHILDREN; i < count; i++)
                        if (call->child_fd >= 0 && fds[i].fd == call->child_fd && fds[i].revents)
                                container_status_read(server, call);
}

/* Returns whether there is more to come. From a client that does not read nothing is taken in, but its end is noticed. */
static bool take_in(struct mcp_server *server, const struct pollfd *in) {
        if (!in->revents)
                return true;
        return in->events & POLLIN && wire_read(&server->wire, rpc_take, server) != 0;
}

static void turn(struct mcp_server *server) {
        struct pollfd fds[FD_CHILDREN + CALLS_MAX];
        size_t count = poll_fds(server, fds);

        if (poll(fds, count, time_left_ms(next_deadline(server))) < 0)
                return;
        server->now = time_monotonic();
        if (!take_in(server, &fds[FD_IN]) || fds[FD_STOP].revents)
                server->done = true;
        read_children(server, fds, count);
        if (fds[FD_SESSION].revents)
                bailey_session_step(server->session);
        server_work(server);
        if (wire_flush(&server->wire) < 0 || server->wire.queue.failed)
                server->done = true; /* the client is gone */
}

/* What was answered before the end is still sent. */
static void say_goodbye(struct mcp_server *server) {
        int64_t deadline = time_monotonic() + LAST_WORDS;

        while (wire_pending(&server->wire) && time_monotonic() < deadline) {
                struct pollfd fd = { .fd = server->wire.out, .events = POLLOUT };

                if (poll(&fd, 1, time_left_ms(deadline)) < 0 && errno != EINTR)
                        return;
                if (fd.revents && wire_flush(&server->wire) < 0)
                        return;
        }
}

int mcp_serve(const struct mcp_options *options, char *ret_error, size_t error_size) {
        struct mcp_server server = { .options = options };
        struct err err = {};
        int result = 0;

        if (bailey_session_new(options->policy, options->environment, &server.session, ret_error, error_size) < 0)
                return -1;
        if (options->listen && bailey_session_listen(server.session, ret_error, error_size) < 0)
                options->notice(ret_error);
        if (wire_open(&server.wire, options->in, options->out, &err) < 0) {
                snprintf(ret_error, error_size, "%s", err.msg);
                result = -1;
        }
        while (result == 0 && !server.done)
                turn(&server);
        bailey_session_free(server.session);
        say_goodbye(&server);
        for (struct call *call = server.calls; call; call = call->next)
                call->done = true;
        calls_drop_done(&server);
        wire_close(&server.wire);
        return result;
}
