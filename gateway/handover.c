#include "gateway/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gateway/connection.h"
#include "launch/files.h"

enum { REPORTS_BATCH = 64 };

/* ---- the way to the host ---- */

static const struct egress_rule *place_of(const struct connection *connection) {
        const struct egress *egress = &connection->command->egress;

        return connection->credential && connection->credential <= egress->credential_count
                       ? &egress->credentials[connection->credential - 1]
                       : NULL;
}

/* It need not be in the list of hosts. */
static bool is_denied(const struct connection *connection, const struct host *host) {
        return verdict_of_name(&connection->command->egress, host) == GATEWAY_DENIED;
}

void handover_begin(struct gateway *gateway, struct connection *connection, uint32_t credential) {
        const struct egress_rule *place;
        struct refusal refusal = { .by = GATEWAY_BY_CREDENTIAL, .reason = GATEWAY_DENIED };
        struct host host;

        connection->credential = credential + 1;
        place = place_of(connection);
        if (!place || verdict_name(place->pattern, &host) < 0) {
                connection_close(gateway, connection, true);
                return;
        }
        connection->port = place->port;
        if (is_denied(connection, &host)) {
                refusal.port = place->port;
                refusal.host = host.text;
                connection_refuse(gateway, connection, &refusal, SPEAKS_HTTP, 403);
                return;
        }
        connection_take_row(connection, GATEWAY_BY_CREDENTIAL, host.text, NULL);
        look_resolve(gateway, connection);
}

bool handover_still_allowed(const struct connection *connection) {
        const struct egress_rule *place = place_of(connection);
        struct host host;

        return place && verdict_name(place->pattern, &host) == 0 && !is_denied(connection, &host);
}

/* ---- handing over ---- */

static void fail(struct gateway *gateway, struct connection *connection, const char *why) {
        connection_give_up(gateway, connection, GATEWAY_CREDENTIAL_FAILED, why);
}

static void ask_engine(struct gateway *gateway, const struct connection *connection) {
        if (gateway->tls_asked)
                return;
        gateway->tls_asked = true;
        event_send(gateway, &(struct gateway_event){ .kind = GATEWAY_NEEDS_TLS, .command = connection->command->id });
}

/* From now on its events are another process's. The files stay open, so that the connection can be ended here. */
static void leave_alone(struct connection *connection) {
        for (int i = 0; i < 2; i++)
                epoll_ctl(connection->sides[i].watch.set, EPOLL_CTL_DEL, connection->sides[i].watch.fd, NULL);
        connection->state = CONNECTION_HANDED;
}

static void hand_over(struct gateway *gateway, struct connection *connection) {
        struct handover message = { .id = ++gateway->handed, .credential = connection->credential - 1 };
        struct iovec part = { &message, sizeof(message) };
        int files[2] = { connection->sides[COMMAND_SIDE].watch.fd, connection->sides[OUTSIDE].watch.fd };

        connection->handed = message.id;
        if (fds_send(gateway->tls.fd, &part, 1, files, 2) == 0)
                leave_alone(connection);
        else if (errno == EAGAIN || errno == ENOBUFS || errno == ETOOMANYREFS)
                loop_change(&gateway->tls, EPOLLIN | EPOLLOUT);
        else
                fail(gateway, connection, "bailey-tls does not take connections");
}

void handover_dialled(struct gateway *gateway, struct connection *connection) {
        connection->state = CONNECTION_HANDOVER;
        if (gateway->tls.fd >= 0)
                hand_over(gateway, connection);
        else
                ask_engine(gateway, connection);
}

/* Those that wait: hands them over, or says why that cannot be. */
static void hand_all(struct gateway *gateway, const char *why) {
        for (struct command *command = gateway->commands; command; command = command->next)
                for (struct connection *connection = command->connections, *next; connection; connection = next) {
                        next = connection->next;
                        if (connection->state != CONNECTION_HANDOVER)
                                continue;
                        if (why)
                                fail(gateway, connection, why);
                        else
                                hand_over(gateway, connection);
                }
}

/* ---- the end ---- */

/* What is counted when there is no report: what the kernel has seen at the command's end. */
static void count_by_kernel(struct connection *connection) {
        struct tcp_info info = {};
        socklen_t len = sizeof(info);

        if (getsockopt(connection->sides[COMMAND_SIDE].watch.fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
                return;
        relay_count(connection, info.tcpi_bytes_received, info.tcpi_bytes_acked);
}

void handover_end(struct gateway *gateway, struct connection *connection) {
        (void)gateway;
        if (connection->handed && !connection->reported)
                count_by_kernel(connection);
        for (int i = 0; i < 2; i++)
                shutdown(connection->sides[i].watch.fd, SHUT_RDWR);
}

static struct connection *find(const struct gateway *gateway, uint64_t id) {
        for (struct command *command = gateway->commands; command; command = command->next)
                for (struct connection *connection = command->connections; connection; connection = connection->next)
                        if (connection->state == CONNECTION_HANDED && connection->handed == id)
                                return connection;
        return NULL;
}

static void record(struct gateway *gateway, const struct connection *connection, const char *why) {
        const struct row *row = connection->row;
        struct refusal refusal = { .by = GATEWAY_BY_CREDENTIAL,
                                   .reason = GATEWAY_CREDENTIAL_FAILED,
                                   .port = connection->port,
                                   .host = row && !row->rest ? row->host : "",
                                   .text = why };

        refusal_record(gateway, connection->command, &refusal, NULL);
}

static void reported(struct gateway *gateway, const struct handover_report *report) {
        struct connection *connection = find(gateway, report->id);

        if (!connection)
                return; /* it has ended here */
        connection->reported = true;
        relay_count(connection, report->up, report->down);
        if (report->text[0])
                record(gateway, connection, report->text);
        connection_close(gateway, connection, false);
}

/* Its ends of all connections are closed with it, and nobody else has read what they were for. */
static void ended(struct gateway *gateway) {
        static const char why[] = "bailey-tls, which holds the secrets, has ended";

        loop_unwatch(&gateway->tls);
        gateway->tls_asked = false;
        event_send(gateway, &(struct gateway_event){ .kind = GATEWAY_TLS_ENDED });
        for (struct command *command = gateway->commands; command; command = command->next)
                for (struct connection *connection = command->connections, *next; connection; connection = next) {
                        next = connection->next;
                        if (connection->state != CONNECTION_HANDED)
                                continue;
                        record(gateway, connection, why);
                        connection_close(gateway, connection, true);
                }
        hand_all(gateway, why);
}

static void tls_ready(struct gateway *gateway, struct watch *watch, uint32_t events) {
        if (events & EPOLLOUT) {
                loop_change(watch, EPOLLIN);
                hand_all(gateway, NULL);
        }
        for (int i = 0; i < REPORTS_BATCH; i++) {
                struct handover_report report;
                ssize_t len = recv(watch->fd, &report, sizeof(report), MSG_DONTWAIT | MSG_TRUNC);

                if (len < 0 && (errno == EAGAIN || errno == EINTR))
                        return;
                if (len != (ssize_t)sizeof(report) || memchr(report.text, '\0', sizeof(report.text)) == NULL) {
                        ended(gateway);
                        return;
                }
                reported(gateway, &report);
        }
}

void handover_set(struct gateway *gateway, int fd, const char *why) {
        if (gateway->tls.fd >= 0)
                ended(gateway);
        gateway->tls_asked = fd >= 0;
        if (fd >= 0) {
                gateway->tls = (struct watch){ .ready = tls_ready, .fd = fd };
                if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0 || loop_watch(gateway->epoll, &gateway->tls, EPOLLIN) < 0) {
                        close(fd);
                        gateway->tls.fd = -1;
                        why = "bailey-tls cannot be reached";
                }
        }
        hand_all(gateway, gateway->tls.fd >= 0 ? NULL : why);
}
