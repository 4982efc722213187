#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "gateway/handover.h"
#include "gateway/proxy.h"
#include "policy/addresses.h"

enum {
        DIAL_ROUNDS = 3, /* how many times the duration of `dials` the last address has */
};

static void dial_inside(struct gateway *gateway, struct connection *connection);

static socklen_t to_sockaddr(const uint8_t address[16], uint16_t port, struct sockaddr_storage *ret) {
        struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
        struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;

        memset(ret, 0, sizeof(*ret));
        if (address_is_ipv4(address)) {
                v4->sin_family = AF_INET;
                v4->sin_port = htons(port);
                memcpy(&v4->sin_addr, address + ADDRESS_IPV4_AT, 4);
                return sizeof(*v4);
        }
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        memcpy(&v6->sin6_addr, address, 16);
        return sizeof(*v6);
}

int dial_read_sockaddr(const struct sockaddr_storage *from, uint8_t ret[16], uint16_t *ret_port) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)from;
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)from;

        if (from->ss_family != AF_INET && from->ss_family != AF_INET6)
                return -1;
        if (from->ss_family == AF_INET)
                address_from_ipv4(&v4->sin_addr, ret);
        else
                memcpy(ret, &v6->sin6_addr, 16);
        *ret_port = ntohs(from->ss_family == AF_INET ? v4->sin_port : v6->sin6_port);
        return 0;
}

void dial_set_options(int fd) {
        static const int one = 1;

        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
        setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
}

/* 0: it is on its way */
static int dial_address(struct gateway *gateway, struct connection *connection, const uint8_t address[16]) {
        struct side *side = &connection->sides[OUTSIDE];
        struct sockaddr_storage to;
        uint16_t port = connection->through ? gateway->proxy->place.port : connection->port;
        socklen_t len = to_sockaddr(address, port, &to);

        side->watch.fd = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (side->watch.fd < 0)
                return -1;
        dial_set_options(side->watch.fd);
        if (connect(side->watch.fd, (struct sockaddr *)&to, len) < 0 && errno != EINPROGRESS) {
                int error = errno;

                close(side->watch.fd);
                side->watch.fd = -1;
                errno = error;
                return -1;
        }
        if (loop_watch(connection->command->set.fd, &side->watch, CONNECTION_EVENTS) < 0) {
                int error = errno;

                connection_close_side(side, false);
                errno = error;
                return -1;
        }
        return 0;
}

/* Ports of this machine are not a matter of hosts, and its proxy is not the command's choice: see proxy_dial(). */
static bool is_denied(const struct connection *connection, const uint8_t address[16]) {
        if (connection->through || (connection->row && connection->row->by == GATEWAY_BY_FORWARD))
                return false;
        return verdict_denies_address(&connection->command->egress, address);
}

bool dial_reaches_denied(const struct connection *connection) {
        struct sockaddr_storage peer = {};
        socklen_t len = sizeof(peer);
        uint8_t address[16];
        uint16_t port;

        if (getpeername(connection->sides[OUTSIDE].watch.fd, (struct sockaddr *)&peer, &len) < 0 ||
            dial_read_sockaddr(&peer, address, &port) < 0)
                return connection->tried && connection->addresses &&
                       is_denied(connection, connection->addresses[connection->tried - 1]);
        return is_denied(connection, address);
}

static void give_up(struct gateway *gateway, struct connection *connection, int error) {
        char text[128];

        if (!connection->through) {
                connection_give_up(gateway, connection, GATEWAY_UNREACHABLE, err_text(error));
                return;
        }
        snprintf(text, sizeof(text), "no connection to it: %s", err_text(error));
        proxy_failed(gateway, connection, text);
}

/* The next address that is not tried yet. */
void dial_next(struct gateway *gateway, struct connection *connection) {
        connection->state = CONNECTION_DIAL;
        connection->rounds = 0;
        while (connection->tried < connection->address_count) {
                const uint8_t *address = connection->addresses[connection->tried++];

                errno = EACCES; /* one that was denied since its name was resolved */
                if (!is_denied(connection, address) && dial_address(gateway, connection, address) == 0) {
                        timer_start(&gateway->dials, &connection->dial);
                        return;
                }
                connection->error = errno;
        }
        give_up(gateway, connection, connection->error ? connection->error : EHOSTUNREACH);
}

static void dial_failed(struct gateway *gateway, struct connection *connection, int error) {
        connection->error = error;
        if (connection->published) {
                dial_inside(gateway, connection);
        } else {
                connection_close_side(&connection->sides[OUTSIDE], false);
                dial_next(gateway, connection);
        }
}

void connection_dial_expired(struct gateway *gateway, struct timer *timer) {
        struct connection *connection = CONTAINER_OF(timer, struct connection, dial);

        if (connection->tried >= connection->address_count && ++connection->rounds < DIAL_ROUNDS)
                timer_start(&gateway->dials, &connection->dial);
        else if (connection->state == CONNECTION_PROXY)
                proxy_failed(gateway, connection, "it does not answer");
        else
                dial_failed(gateway, connection, ETIMEDOUT);
}

/* Addresses to dial: the first one, then the others of the list. */
int dial_set_addresses(struct connection *connection, const uint8_t *first, const uint8_t (*others)[16], size_t count) {
        size_t n = 0;

        free(connection->addresses);
        connection->addresses = malloc((count + 1) * sizeof(*connection->addresses));
        if (!connection->addresses)
                return -1;
        if (first)
                memcpy(connection->addresses[n++], first, 16);
        for (size_t i = 0; i < count; i++)
                if (!first || memcmp(others[i], first, 16) != 0)
                        memcpy(connection->addresses[n++], others[i], 16);
        connection->address_count = (uint8_t)n;
        connection->tried = 0;
        return 0;
}

void dial_done(struct gateway *gateway, struct connection *connection) {
        timer_stop(&connection->dial);
        free(connection->addresses);
        connection->addresses = NULL;
        if (connection->credential) {
                handover_dialled(gateway, connection);
                return;
        }
        connection->state = CONNECTION_RELAY;
        connection_relay(gateway, connection);
}

void dial_event(struct gateway *gateway, struct connection *connection, const struct watch *watch, uint32_t events) {
        int error = 0;
        socklen_t len = sizeof(error);
        struct sockaddr_storage peer;
        socklen_t peer_len = sizeof(peer);

        if (watch == &connection->sides[COMMAND_SIDE].watch) {
                if (events & (EPOLLERR | EPOLLHUP))
                        connection_close(gateway, connection, true);
                return;
        }
        if (events & EPOLLOUT && !(events & (EPOLLERR | EPOLLHUP)))
                (connection->through ? proxy_connected : dial_done)(gateway, connection);
        else if (getsockopt(watch->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 || error)
                dial_failed(gateway, connection, error ? error : errno);
        else if (getpeername(watch->fd, (struct sockaddr *)&peer, &peer_len) == 0)
                (connection->through ? proxy_connected : dial_done)(gateway, connection);
        else if (events & (EPOLLERR | EPOLLHUP))
                dial_failed(gateway, connection, ECONNREFUSED);
}

/* ---- published ports: sockets from inside ---- */

/* The first connect() after a refusal only ends the one before (ECONNABORTED); then the socket is free. */
static int connect_again(int fd, const struct sockaddr_storage *to, socklen_t len) {
        int result = connect(fd, (const struct sockaddr *)to, len);

        return result < 0 && errno == ECONNABORTED ? connect(fd, (const struct sockaddr *)to, len) : result;
}

/* As a socket of IPv6 has addresses of both kinds. */
static socklen_t to_sockaddr6(const uint8_t address[16], uint16_t port, struct sockaddr_storage *ret) {
        struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

        memcpy(&v6.sin6_addr, address, 16);
        memcpy(ret, &v6, sizeof(v6));
        return sizeof(v6);
}

/* The server may listen at ::1 or 127.0.0.1, and there is one socket to try both with. ::1 comes first: a socket of IPv6 that
 * was refused can go on to an IPv4 address, but one that has tried IPv4 never reaches IPv6 again. */
static void dial_inside(struct gateway *gateway, struct connection *connection) {
        int fd = connection->sides[OUTSIDE].watch.fd, family = 0;
        socklen_t len = sizeof(family);

        getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len);
        if (family != AF_INET6 && !connection->tried)
                connection->tried++;
        while (connection->tried < 2) {
                const uint8_t *address = address_loopback[!connection->tried++];
                struct sockaddr_storage to;

                len = family == AF_INET6 ? to_sockaddr6(address, connection->port, &to)
                                         : to_sockaddr(address, connection->port, &to);
                if (connect_again(fd, &to, len) == 0 || errno == EINPROGRESS) {
                        timer_start(&gateway->dials, &connection->dial);
                        return;
                }
                connection->error = errno;
        }
        connection_give_up(gateway, connection, GATEWAY_UNREACHABLE, err_text(connection->error));
}

void connection_give_socket(struct gateway *gateway, struct command *command, int fd) {
        struct connection *connection = command->connections, *oldest = NULL;
        int type = 0;
        socklen_t len = sizeof(type);

        for (; connection; connection = connection->next)
                if (connection->state == CONNECTION_SOCKET)
                        oldest = connection;
        if (!oldest) {
                fd_close(fd);
                return;
        }
        if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0 || type != SOCK_STREAM) {
                fd_close(fd);
                connection_give_up(gateway, oldest, GATEWAY_UNREACHABLE, "there is no socket inside");
                return;
        }
        dial_set_options(fd);
        oldest->sides[OUTSIDE].watch.fd = fd;
        oldest->sides[OUTSIDE].shared = true;
        oldest->state = CONNECTION_DIAL;
        if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0 ||
            loop_watch(command->set.fd, &oldest->sides[OUTSIDE].watch, CONNECTION_EVENTS) < 0)
                connection_close(gateway, oldest, true);
        else
                dial_inside(gateway, oldest);
}
