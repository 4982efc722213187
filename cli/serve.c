#include "cli/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bailey.h"
#include "base/fd.h"
#include "base/time.h"
#include "cli/http.h"

enum {
        CONNECTIONS_MAX = 32,
        BACKLOG = 64,
        TICK_MS = 1000, /* how often the log is read without a request */
        PAUSE_MS = 20,
        PORT_HTTP = 80,
};

enum stage { STAGE_HEAD, STAGE_ANSWER, STAGE_GOODBYE, STAGES };

/* How long each may take in all, however many bytes trickle in. */
static const int64_t stage_times[STAGES] = {
        [STAGE_HEAD] = 5 * TIME_SECOND, [STAGE_ANSWER] = 60 * TIME_SECOND, [STAGE_GOODBYE] = TIME_SECOND
};

struct connection {
        int fd;
        enum stage stage;
        bool known; /* belongs to the reader of the page */
        int64_t deadline;
        struct buf head, answer;
        size_t sent;
};

struct server {
        struct serve serve;
        int listener, signals;
        struct connection connections[CONNECTIONS_MAX]; /* the oldest first */
        size_t count;
};

static bool would_block(void) {
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* ---- connections ---- */

static void connection_close(struct server *server, size_t index) {
        struct connection *connection = &server->connections[index];

        fd_close(connection->fd);
        buf_free(&connection->head);
        buf_free(&connection->answer);
        server->count--;
        memmove(connection, connection + 1, (server->count - index) * sizeof(*connection));
}

static void enter(struct connection *connection, enum stage stage) {
        connection->stage = stage;
        connection->deadline = time_monotonic() + stage_times[stage];
}

/* Which one goes when there is no room: the oldest of those who have not shown who they are. `count`: none. */
static size_t least_wanted(const struct server *server) {
        size_t i = 0;

        while (i < server->count && server->connections[i].known)
                i++;
        return i;
}

static bool has_room(const struct server *server) {
        return server->count < CONNECTIONS_MAX || least_wanted(server) < server->count;
}

static void connection_accept(struct server *server) {
        struct connection *connection;
        int fd;

        if (server->count == CONNECTIONS_MAX)
                connection_close(server, least_wanted(server));
        fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) {
                if (!would_block()) /* no descriptors: not again at once */
                        poll(NULL, 0, PAUSE_MS);
                return;
        }
        connection = &server->connections[server->count++];
        *connection = (struct connection){ .fd = fd };
        buf_init(&connection->head, HTTP_HEAD_MAX + 1);
        buf_init(&connection->answer, 0);
        enter(connection, STAGE_HEAD);
}

/* ---- stages: each returns false when the connection is over ---- */

/* The end of a request is looked for only in what is new, so that single bytes cost no more than many at once. */
static bool read_head(struct server *server, struct connection *connection) {
        struct buf *head = &connection->head;
        char bytes[4 << 10];
        size_t room = head->max - head->len, before = head->len < 3 ? 0 : head->len - 3;
        ssize_t got = recv(connection->fd, bytes, room < sizeof(bytes) ? room : sizeof(bytes), 0);

        if (got <= 0)
                return got < 0 && would_block();
        buf_append(head, str_from(bytes, (size_t)got));
        if (head->failed)
                return false;
        if (head->len <= HTTP_HEAD_MAX && !memmem(head->ptr + before, head->len - before, "\r\n\r\n", 4))
                return true;
        connection->known = serve_answer(&server->serve, buf_str(head), &connection->answer);
        enter(connection, STAGE_ANSWER);
        return connection->answer.len > 0 && !connection->answer.failed;
}

/* What still comes in is read and dropped for a moment: closing at once could take the answer away with it. */
static bool write_answer(struct connection *connection) {
        const struct buf *answer = &connection->answer;
        ssize_t put = send(connection->fd, answer->ptr + connection->sent, answer->len - connection->sent, MSG_NOSIGNAL);

        if (put < 0)
                return would_block();
        connection->sent += (size_t)put;
        if (connection->sent < answer->len)
                return true;
        buf_free(&connection->answer);
        enter(connection, STAGE_GOODBYE);
        return shutdown(connection->fd, SHUT_WR) == 0;
}

static bool read_goodbye(struct connection *connection) {
        char dropped[4 << 10];
        ssize_t got = recv(connection->fd, dropped, sizeof(dropped), 0);

        return got > 0 || (got < 0 && would_block());
}

static bool connection_step(struct server *server, struct connection *connection) {
        switch (connection->stage) {
        case STAGE_HEAD:
                return read_head(server, connection);
        case STAGE_ANSWER:
                return write_answer(connection);
        case STAGE_GOODBYE:
                return read_goodbye(connection);
        case STAGES:
                break;
        }
        return false;
}

/* ---- the loop ---- */

static int wait_ms(const struct server *server) {
        int64_t now = time_monotonic(), until = now + TICK_MS * (TIME_SECOND / 1000);

        for (size_t i = 0; i < server->count; i++)
                if (server->connections[i].deadline < until)
                        until = server->connections[i].deadline;
        return until <= now ? 0 : (int)((until - now) / (TIME_SECOND / 1000)) + 1;
}

static void read_record(struct server *server) {
        struct serve *serve = &server->serve;

        if (bailey_audit_page_read(serve->page, serve->problem, sizeof(serve->problem)) >= 0)
                serve->problem[0] = '\0';
}

/* Backwards, as one that is over leaves the table. */
static void connections_step(struct server *server, const struct pollfd *polled, size_t count) {
        int64_t now = time_monotonic();

        for (size_t i = count; i-- > 0;) {
                struct connection *connection = &server->connections[i];
                bool over = polled[i].revents && !connection_step(server, connection);

                if (over || connection->deadline <= now)
                        connection_close(server, i);
        }
}

/* Returns 1 to go on, 0 when a signal came. */
static int serve_step(struct server *server, struct err *err) {
        struct pollfd polled[CONNECTIONS_MAX + 3];
        size_t count = server->count;
        int ready;

        for (size_t i = 0; i < count; i++) {
                const struct connection *connection = &server->connections[i];

                polled[i] =
                        (struct pollfd){ .fd = connection->fd, .events = connection->stage == STAGE_ANSWER ? POLLOUT : POLLIN };
        }
        polled[count] = (struct pollfd){ .fd = server->signals, .events = POLLIN };
        polled[count + 1] = (struct pollfd){ .fd = has_room(server) ? server->listener : -1, .events = POLLIN };
        polled[count + 2] = (struct pollfd){ .fd = server->serve.shells.fd, .events = POLLIN };
        ready = poll(polled, count + 3, wait_ms(server));
        if (ready < 0 && errno != EINTR)
                return err_sys(err, "poll");
        if (ready < 0)
                return 1;
        if (polled[count].revents)
                return 0;
        if (ready == 0)
                read_record(server);
        if (polled[count + 2].revents)
                shells_asker_take(&server->serve.shells);
        connections_step(server, polled, count);
        if (polled[count + 1].revents && has_room(server))
                connection_accept(server);
        return 1;
}

/* ---- the start ---- */

static int signals_open(struct err *err) {
        sigset_t set;
        int fd;

        sigemptyset(&set);
        sigaddset(&set, SIGINT);
        sigaddset(&set, SIGTERM);
        sigprocmask(SIG_BLOCK, &set, NULL);
        fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
        return fd < 0 ? err_sys(err, "signalfd") : fd;
}

/* This host's own address, and no other: nothing comes in from a network. */
static int listener_open(uint16_t *port, struct err *err) {
        struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(*port) };
        socklen_t size = sizeof(address);
        FD_AUTO fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        int yes = 1;

        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (fd < 0)
                return err_sys(err, "socket");
        if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
            bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, BACKLOG) < 0)
                return err_sys(err, "cannot listen on 127.0.0.1, port %d", *port);
        if (getsockname(fd, (struct sockaddr *)&address, &size) < 0)
                return err_sys(err, "getsockname");
        *port = ntohs(address.sin_port);
        return TAKE_FD(fd);
}

static int serve_names(struct serve *serve, uint16_t port, struct err *err) {
        char id[ID_SIZE];

        if (id_new(serve->token, err) < 0 || id_new(serve->session, err) < 0 || id_new(id, err) < 0)
                return -1;
        snprintf(serve->place, sizeof(serve->place), "/%s/", id);
        if (port == PORT_HTTP) /* a browser leaves it out */
                snprintf(serve->host, sizeof(serve->host), "127.0.0.1");
        else
                snprintf(serve->host, sizeof(serve->host), "127.0.0.1:%d", port);
        return 0;
}

static int serve_loop(struct server *server, uint16_t port, void (*address)(const char *text), struct err *err) {
        char text[128];
        int going = 1;

        if (serve_names(&server->serve, port, err) < 0)
                return -1;
        snprintf(text, sizeof(text), "http://%s/?token=%s", server->serve.host, server->serve.token);
        address(text);
        while (going > 0)
                going = serve_step(server, err);
        while (server->count)
                connection_close(server, server->count - 1);
        return going;
}

int serve_page(struct bailey_audit_page *page, uint16_t port, void (*address)(const char *text), struct err *err) {
        struct server *server = calloc(1, sizeof(*server));
        FD_AUTO listener = -1;
        FD_AUTO signals = -1;
        int result = -1;

        if (!server)
                return err_memory(err);
        server->serve.page = page;
        server->signals = signals = signals_open(err);
        if (signals >= 0 && shells_asker_start(&server->serve.shells, err) == 0) {
                server->listener = listener = listener_open(&port, err); /* not shared with the child */
                if (listener >= 0)
                        result = serve_loop(server, port, address, err);
                shells_asker_end(&server->serve.shells);
        }
        free(server);
        return result;
}
