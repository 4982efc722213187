#include "engine/session/control.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lock.h"
#include "base/time.h"
#include "engine/session/change.h"
#include "engine/config.h"
#include "engine/session/session.h"

enum { PEERS_MAX = 8, BACKLOG = 8 };

struct peer {
        struct source source;
        int fd; /* -1: a free place */
        int64_t deadline;
        char line[CONTROL_LINE_MAX];
        size_t len;
        struct buf answer;
        size_t sent;
        bool answered;
};

struct control {
        struct source source;
        int fd;
        struct control_place place;
        char name[ID_SIZE + sizeof(CONTROL_SUFFIX)]; /* of the socket */
        bool bound;                                  /* it is there */
        struct peer peers[PEERS_MAX];
};

/* ---- answers ---- */

/* Whoever allows a host expects that it can be reached. */
static void put_notice(const struct bailey_session *session, enum bailey_change change, const char *subject, struct buf *out) {
        if (change == BAILEY_ALLOW_DOMAIN && session->policy->policy->sandbox.network == NETWORK_DENY)
                buf_format(out,
                           "! sandbox.network is \"deny\": no command of this session can reach %s; start it with --allow-host "
                           "%s\n",
                           subject, subject);
}

/* The response has a line for each value: "+guard.domain_allowlist example.org", or "-"; and "! NOTICE". */
static int do_change(struct bailey_session *session, enum bailey_change change, const char *subject, struct buf *out,
                     char *error, size_t size) {
        struct change_items items;
        struct err err = {};
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (change_session(session, change, subject, &arena, &items, &err) < 0)
                return config_hand_error(&err, error, size);
        for (size_t i = 0; i < items.count; i++)
                buf_format(out, "%c%s %s\n", items.items[i].remove ? '-' : '+', items.items[i].key, items.items[i].value);
        put_notice(session, change, subject, out);
        return 0;
}

static int do_asked(struct bailey_session *session, const char *word, const char *subject, struct buf *changed, char *error,
                    size_t size) {
        enum bailey_change change;

        if (strcmp(word, "json") == 0 || strcmp(word, "text") == 0 || strcmp(word, "refused") == 0)
                return 0;
        if (change_find(word, &change) == 0)
                return do_change(session, change, subject, changed, error, size);
        if (strcmp(word, "kill") != 0) {
                snprintf(error, size, "unknown request '%.32s'", word);
                return -1;
        }
        if (bailey_kill(session, subject, SIGTERM) < 0) {
                snprintf(error, size, CONTROL_NO_SHELL "%.64s", subject);
                return -1;
        }
        return 0;
}

/* Half of an answer is none. */
static void answer(struct bailey_session *session, const char *word, struct buf *out) {
        int result = 0;

        buf_append(out, STR("ok\n"));
        if (strcmp(word, "json") == 0)
                result = control_put_json(session, out);
        else if (strcmp(word, "text") == 0)
                result = control_put_text(session, out);
        else if (strcmp(word, "refused") == 0)
                audit_unwritten(session->policy->audit, AUDIT_REFUSED, CONTROL_REFUSED, out);
        if (result == 0 && !out->failed)
                return;
        buf_clear(out);
        buf_append(out, STR("error the answer is too long\n"));
}

void control_answer(struct bailey_session *session, struct str line, struct buf *out) {
        char text[CONTROL_LINE_MAX], error[sizeof(((struct err *)NULL)->msg)], *subject;
        BUF_AUTO changed;

        buf_init(&changed, (size_t)CHANGE_ITEMS_MAX * CONTROL_LINE_MAX);

        if (line.len >= sizeof(text) || memchr(line.ptr, 0, line.len)) {
                buf_append(out, STR("error the request is too long, or contains a NUL byte\n"));
                return;
        }
        memcpy(text, line.ptr, line.len);
        text[line.len] = 0;
        subject = text + strcspn(text, " ");
        if (*subject)
                *subject++ = 0;
        if (do_asked(session, text, subject, &changed, error, sizeof(error)) < 0) {
                buf_format(out, "error %s\n", error);
                return;
        }
        answer(session, text, out);
        buf_append(out, buf_str(&changed));
}

/* ---- peers ---- */

static void peer_close(const struct bailey_session *session, struct peer *peer) {
        epoll_ctl(session->epoll_fd, EPOLL_CTL_DEL, peer->fd, NULL);
        fd_close(TAKE_FD(peer->fd));
        buf_free(&peer->answer);
}

static void peer_send(struct bailey_session *session, struct peer *peer) {
        struct epoll_event event = { .events = EPOLLOUT, .data.ptr = peer };

        while (peer->sent < peer->answer.len) {
                ssize_t put = send(peer->fd, peer->answer.ptr + peer->sent, peer->answer.len - peer->sent,
                                   MSG_NOSIGNAL | MSG_DONTWAIT);

                if (put < 0 && errno == EAGAIN) {
                        epoll_ctl(session->epoll_fd, EPOLL_CTL_MOD, peer->fd, &event);
                        return;
                }
                if (put < 0 && errno == EINTR)
                        continue;
                if (put < 0)
                        break;
                peer->sent += (size_t)put;
        }
        peer_close(session, peer);
}

static void peer_turn(struct bailey_session *session, struct source *source) {
        struct peer *peer = (struct peer *)source;
        ssize_t got;
        char *end;

        if (peer->fd < 0)
                return;
        if (peer->answered) {
                peer_send(session, peer);
                return;
        }
        got = recv(peer->fd, peer->line + peer->len, sizeof(peer->line) - peer->len, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (got > 0)
                peer->len += (size_t)got;
        end = memchr(peer->line, '\n', peer->len);
        if (!end && got > 0 && peer->len < sizeof(peer->line))
                return;
        if (!end && got <= 0) {
                peer_close(session, peer);
                return;
        }
        control_answer(session, str_from(peer->line, end ? (size_t)(end - peer->line) : peer->len), &peer->answer);
        peer->answered = true;
        peer_send(session, peer);
}

static struct peer *peer_free(struct control *control) {
        for (size_t i = 0; i < PEERS_MAX; i++)
                if (control->peers[i].fd < 0)
                        return &control->peers[i];
        return NULL;
}

static void accept_turn(struct bailey_session *session, struct source *source) {
        struct control *control = (struct control *)source;
        int fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd >= 0 && control_welcomes(fd))
                control_take(session, fd);
        else
                fd_close(fd);
}

static struct control *control_new(void) {
        struct control *control = calloc(1, sizeof(*control));

        if (!control)
                return NULL;
        control->source.turn = accept_turn;
        control->fd = control->place.fd = -1;
        for (size_t i = 0; i < PEERS_MAX; i++)
                control->peers[i].fd = -1;
        return control;
}

void control_take(struct bailey_session *session, int fd) {
        struct epoll_event event = { .events = EPOLLIN };
        struct peer *peer;

        if (!session->control)
                session->control = control_new();
        peer = session->control ? peer_free(session->control) : NULL;
        event.data.ptr = peer;
        if (!peer || epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0) {
                fd_close(fd);
                return;
        }
        *peer = (struct peer){ .source.turn = peer_turn,
                               .fd = fd,
                               .deadline = time_monotonic() + CONTROL_SECONDS * TIME_SECOND };
        buf_init(&peer->answer, CONTROL_ANSWER_MAX);
}

int64_t control_deadline(const struct control *control) {
        int64_t first = 0;

        for (size_t i = 0; control && i < PEERS_MAX; i++)
                if (control->peers[i].fd >= 0 && (!first || control->peers[i].deadline < first))
                        first = control->peers[i].deadline;
        return first;
}

void control_due(struct bailey_session *session, int64_t now) {
        for (size_t i = 0; session->control && i < PEERS_MAX; i++)
                if (session->control->peers[i].fd >= 0 && session->control->peers[i].deadline <= now)
                        peer_close(session, &session->control->peers[i]);
}

/* ---- listening ---- */

const char *bailey_session_id(const struct bailey_session *session) {
        return audit_session(session->policy->audit);
}

void control_close(struct bailey_session *session) {
        struct control *control = session->control;

        if (!control)
                return;
        for (size_t i = 0; i < PEERS_MAX; i++)
                if (control->peers[i].fd >= 0)
                        peer_close(session, &control->peers[i]);
        if (control->bound)
                unlinkat(control->place.fd, control->name, 0);
        fd_close(control->fd);
        fd_close(control->place.fd);
        free(control);
        session->control = NULL;
}

static int listen_at(struct bailey_session *session, struct control *control, struct err *err) {
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = control };
        struct sockaddr_un address;

        if (control_open_place(session->environment, true, &control->place, err) < 0)
                return -1;
        snprintf(control->name, sizeof(control->name), "%s" CONTROL_SUFFIX, bailey_session_id(session));
        control_address(&control->place, control->name, &address);
        control->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (control->fd < 0)
                return err_sys(err, "cannot create a socket");
        /* A socket that nobody listens at looks stale to others; who holds the lock is about to. */
        lock_take(control->place.fd, LOCK_EX, time_monotonic() + TIME_SECOND);
        control->bound = bind(control->fd, (struct sockaddr *)&address, sizeof(address)) == 0;
        if (!control->bound || fchmodat(control->place.fd, control->name, 0600, 0) < 0 || listen(control->fd, BACKLOG) < 0 ||
            epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, control->fd, &event) < 0)
                return err_sys(err, "%s/%s", control->place.directory.path, control->name);
        flock(control->place.fd, LOCK_UN);
        return 0;
}

int bailey_session_listen(struct bailey_session *session, char *ret_error, size_t error_size) {
        struct err err = {};
        int result;

        if (session->control && session->control->bound)
                return 0;
        if (!session->control)
                session->control = control_new();
        result = session->control ? listen_at(session, session->control, &err) : err_memory(&err);
        if (result == 0)
                return 0;
        control_close(session);
        return config_hand_error(&err, ret_error, error_size);
}
