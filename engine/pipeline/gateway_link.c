#include "engine/pipeline/gateway_link.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "base/time.h"
#include "policy/egress.h"
#include "policy/upstream.h"

/* How long an answer may take: then the gateway hangs, and is given up. */
#define PATIENCE (2 * TIME_SECOND)
#define COUNT_PATIENCE (TIME_SECOND / 5) /* how long `bailey status` waits */

/* ---- the end ---- */

/* Its commands go on, without a network. */
static void lose(struct gateway_link *link) {
        gateway_stop(link);
        while (link->logs) {
                struct network_log *log = link->logs;

                link->logs = log->next;
                log->link = NULL;
                log->lost = true;
        }
}

void gateway_link_close(struct gateway_link *link) {
        lose(link);
        credentials_free(&link->credentials);
}

/* ---- what it reports ---- */

static struct network_log *find_log(const struct gateway_link *link, uint64_t command) {
        struct network_log *log = link->logs;

        while (log && log->command != command)
                log = log->next;
        return log;
}

static bool is_same(const struct gateway_event *a, const struct gateway_event *b) {
        return a->port == b->port && a->reason == b->reason && strcmp(a->host, b->host) == 0;
}

/* A refusal is reported when it happens, and again with the totals. */
static void add_row(struct network_log *log, const struct gateway_event *event) {
        for (size_t i = 0; i < log->count; i++)
                if (is_same(&log->rows[i], event)) {
                        log->rows[i] = *event;
                        return;
                }
        if (log->count == GATEWAY_ROWS_MAX || (event->reason != GATEWAY_ALLOWED && log->refused == GATEWAY_REFUSALS_MAX))
                return;
        log->refused += event->reason != GATEWAY_ALLOWED;
        log->rows[log->count++] = *event;
}

static void keep_refusal(struct gateway_link *link, const struct gateway_event *event) {
        size_t at = link->refusal_count++ % REFUSALS_KEPT;

        link->refusals[at].when = time_realtime();
        link->refusals[at].event = *event;
}

static void hear(struct network_log *log, const struct gateway_event *event) {
        switch (event->kind) {
        case GATEWAY_REFUSED:
                keep_refusal(log->link, event);
                log->used = true;
                add_row(log, event);
                break;
        case GATEWAY_ROW:
                if (log->link->asking)
                        break;
                log->used = true;
                add_row(log, event);
                break;
        case GATEWAY_ENDED:
                log->ended = true;
                log->sums = *event;
                break;
        case GATEWAY_NEEDS_SOCKET:
                if (!log->launched || launch_request_socket(log->launched) < 0)
                        gateway_give_socket(log->link->socket, log->command, -1, &(struct err){});
                break;
        case GATEWAY_PUBLISHED:
                log->published++;
                break;
        case GATEWAY_FAILED:
                snprintf(log->failure, sizeof(log->failure), "%s", event->text);
                break;
        case GATEWAY_USED:
                log->used = true;
                break;
        case GATEWAY_SUMS:
                log->counted = true;
                log->open = event->open;
                break;
        case GATEWAY_READY:
        case GATEWAY_NEEDS_TLS:
        case GATEWAY_TLS_ENDED:
                break;
        }
}

/* The first connection to an endpoint waits for this. */
static void start_tls(struct gateway_link *link) {
        FD_AUTO its = -1, gateways = -1;
        struct err err = {};
        int ends[2];

        if (!link->credentials.prepared) {
                err_set(&err, ERR_INVALID, "no command has credentials");
        } else if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
                err_sys(&err, "bailey-tls");
        } else {
                gateways = ends[0];
                its = ends[1];
                if (credentials_start(&link->credentials, its, &err) < 0)
                        fd_close(TAKE_FD(gateways));
        }
        gateway_use_tls(link->socket, gateways, err.msg, &(struct err){});
}

/* Of none of the commands. False: it is of one. */
static bool hear_of_tls(struct gateway_link *link, const struct gateway_event *event) {
        if (event->kind == GATEWAY_NEEDS_TLS)
                start_tls(link);
        for (struct network_log *log = link->logs; event->kind == GATEWAY_TLS_ENDED && log; log = log->next)
                log->tls_lost = log->policy && log->policy->sandbox.network_credential_count;
        return event->kind == GATEWAY_NEEDS_TLS || event->kind == GATEWAY_TLS_ENDED;
}

void gateway_link_read(struct gateway_link *link) {
        struct gateway_event event;
        int got = gateway_started(link);

        while (got >= 0 && link->socket >= 0 && (got = gateway_receive(link->socket, &event)) > 0) {
                struct network_log *log = hear_of_tls(link, &event) ? NULL : find_log(link, event.command);

                if (log)
                        hear(log, &event);
        }
        if (got < 0)
                lose(link);
}

/* Until `done` says so. False: the gateway has ended, or does not answer. */
static bool wait_until(struct gateway_link *link, int64_t patience, bool (*done)(const struct network_log *log, size_t count),
                       const struct network_log *log, size_t count) {
        int64_t deadline = time_monotonic() + patience;

        for (;;) {
                struct pollfd fd = { .events = POLLIN };

                gateway_link_read(link);
                if (log->lost || done(log, count))
                        return !log->lost;
                fd.fd = link->socket;
                if (poll(&fd, 1, time_left_ms(deadline)) == 0 || time_monotonic() >= deadline)
                        return false;
        }
}

/* ---- commands ---- */

static int write_egress(const struct policy *policy, struct buf *out, struct err *err) {
        struct egress egress;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        if (egress_from_policy(policy, &arena, &egress, err) < 0)
                return -1;
        egress_write(&egress, out);
        return out->failed ? err_set(err, ERR_TOO_COMPLEX, "sandbox.network: too many hosts") : 0;
}

static bool has_published(const struct network_log *log, size_t count) {
        return log->failure[0] || log->published == count;
}

/* Before the command starts: if another process has the port, that is an error for the user. */
static int publish(struct network_log *log, const struct policy *policy, struct err *err) {
        struct str_list ports = policy->sandbox.network_publish;

        for (size_t i = 0; i < ports.count; i++) {
                struct published_port port;

                if (published_port_read(ports.items[i], &port) < 0)
                        return err_set(err, ERR_INVALID, "sandbox.network.publish: %.*s: not a port", (int)ports.items[i].len,
                                       ports.items[i].ptr);
                if (gateway_publish(log->link->socket, log->command, port.host, port.inside, err) < 0)
                        return -1;
        }
        if (!ports.count)
                return 0;
        if (!wait_until(log->link, PATIENCE, has_published, log, ports.count))
                return err_set(err, ERR_SYSTEM, "the network gateway does not answer");
        return log->failure[0] ? err_set(err, ERR_INVALID, "%s", log->failure) : 0;
}

static int announce(struct network_log *log, const struct gateway_item *items, size_t count, struct err *err) {
        BUF_AUTO egress;

        buf_init(&egress, EGRESS_BYTES_MAX);
        if (log->announced)
                return gateway_listen(log->link->socket, log->command, items, count, err);
        if (write_egress(log->policy, &egress, err) < 0)
                return -1;
        log->announced = true;
        return gateway_add(log->link->socket, log->command, buf_str(&egress), items, count, err);
}

/* A gateway that is new gets to know how this machine reaches others. */
static int start_if_none(struct gateway_link *link, const char *program, const char *const *environment,
                         const struct policy *policy, struct err *err) {
        struct upstream upstream;

        gateway_link_read(link); /* one that has ended is replaced */
        if (link->socket >= 0)
                return 0;
        if (gateway_start(link, program, err) < 0)
                return -1;
        upstream_choose(policy->sandbox.network_proxy, environment, &upstream);
        link->unusable_proxy = upstream.unusable;
        if (!upstream.url.len || gateway_use_proxy(link->socket, upstream.url, upstream.except, err) == 0)
                return 0;
        lose(link);
        return -1;
}

/* Without ports to publish, the first that the gateway hears of the command are its sockets. */
int gateway_link_begin(struct gateway_link *link, const char *program, const char *const *environment,
                       const struct policy *policy, struct network_log *log, struct err *err) {
        if (policy->sandbox.network_credential_count &&
            credentials_prepare(&link->credentials, policy, environment, program, err) < 0)
                return -1;
        if (start_if_none(link, program, environment, policy, err) < 0)
                return -1;
        *log = (struct network_log){ .link = link, .next = link->logs, .command = ++link->last, .policy = policy };
        link->logs = log;
        if (!policy->sandbox.network_publish.count || (announce(log, NULL, 0, err) == 0 && publish(log, policy, err) == 0))
                return 0;
        gateway_link_forget(log);
        return -1;
}

int gateway_link_join(struct gateway_link *link, const char *program, const char *const *environment,
                      const struct policy *policy, struct network_log *log, struct err *err) {
        gateway_link_read(link);
        if (log->link)
                return log->announced ? 0 : announce(log, NULL, 0, err);
        if (start_if_none(link, program, environment, policy, err) < 0)
                return -1;
        log->link = link;
        log->next = link->logs;
        link->logs = log;
        log->command = ++link->last;
        log->policy = policy;
        log->announced = log->ended = false;
        return announce(log, NULL, 0, err);
}

void gateway_link_forward(struct network_log *log, const struct network_log *target, uint16_t port, int fd) {
        struct gateway_item item = { GATEWAY_HOST_PORT, port, fd };

        if (log->link && target->link && target->announced && (log->announced || announce(log, NULL, 0, &(struct err){}) == 0))
                gateway_forward(log->link->socket, log->command, target->command, &item, 1, &(struct err){});
}

static void give_socket(const struct network_log *log, int fd) {
        if (log->link)
                gateway_give_socket(log->link->socket, log->command, fd, &(struct err){});
}

/* Endpoints are ports of localhost as those of the host are: sandbox/egress.c. */
static enum gateway_socket kind_of(const struct network_log *log, enum egress_socket kind, uint16_t port) {
        size_t count = log->policy ? log->policy->sandbox.network_credential_count : 0;

        if (kind == EGRESS_HOST_PORT && port >= EGRESS_CREDENTIAL_PORT && port < EGRESS_CREDENTIAL_PORT + count)
                return GATEWAY_CREDENTIAL;
        return (enum gateway_socket)kind;
}

void gateway_link_take(struct network_log *log, struct egress_sockets *sockets) {
        struct gateway_item items[EGRESS_SOCKETS_MAX];
        size_t count = 0;

        for (size_t i = 0; i < sockets->count; i++) {
                log->by_ports |= sockets->items[i].kind == EGRESS_PORT;
                if (sockets->items[i].kind == EGRESS_DNS_UDP && log->link)
                        log->link->capture = sockets->transparent ? CAPTURE_TPROXY : CAPTURE_PORTS;
                if (sockets->items[i].kind == EGRESS_OUTGOING)
                        give_socket(log, sockets->items[i].fd);
                else
                        items[count++] = (struct gateway_item){ kind_of(log, sockets->items[i].kind, sockets->items[i].port),
                                                                sockets->items[i].port, sockets->items[i].fd };
        }
        /* If the gateway cannot be told, it does not accept connections: they fail. */
        if (count && log->link && announce(log, items, count, &(struct err){}) < 0)
                log->lost = true;
        for (size_t i = 0; i < sockets->count; i++)
                fd_close(sockets->items[i].fd);
}

/* All that run get the new list, which may be more than the socket holds at once. */
static void wait_for_room(const struct gateway_link *link, int64_t deadline) {
        struct pollfd fd = { .fd = link->socket, .events = POLLOUT };

        poll(&fd, 1, time_left_ms(deadline));
}

int gateway_link_change(struct gateway_link *link, const struct policy *policy, struct err *err) {
        int64_t deadline = time_monotonic() + PATIENCE;
        BUF_AUTO egress;

        buf_init(&egress, EGRESS_BYTES_MAX);
        if (!link->logs)
                return 0;
        if (write_egress(policy, &egress, err) < 0)
                return -1;
        for (struct network_log *log = link->logs; log; log = log->next) {
                log->policy = policy;
                if (!log->announced)
                        continue;
                wait_for_room(link, deadline);
                if (gateway_change(link->socket, log->command, buf_str(&egress), err) < 0)
                        return -1;
        }
        return 0;
}

/* The gateway answers in the order of the questions. */
static bool has_counted(const struct network_log *log, size_t ignored) {
        (void)ignored;
        return log->counted;
}

uint64_t gateway_link_count(struct gateway_link *link) {
        struct network_log *last = NULL;
        uint64_t open = 0;

        gateway_link_read(link);
        for (struct network_log *log = link->logs; log; log = log->next) {
                log->counted = false;
                if (log->announced && gateway_ask(link->socket, log->command, &(struct err){}) == 0)
                        last = log;
        }
        link->asking = true;
        if (last)
                wait_until(link, COUNT_PATIENCE, has_counted, last, 0);
        link->asking = false;
        for (const struct network_log *log = link->logs; log; log = log->next)
                open += log->open;
        return open;
}

static void leave(struct network_log *log) {
        struct network_log **place = &log->link->logs;

        while (*place && *place != log)
                place = &(*place)->next;
        if (*place)
                *place = log->next;
        log->link = NULL;
        log->launched = NULL;
}

void gateway_link_forget(struct network_log *log) {
        if (!log->link)
                return;
        if (log->announced && gateway_end(log->link->socket, log->command, &(struct err){}) < 0)
                lose(log->link);
        else
                leave(log);
}

static bool has_ended(const struct network_log *log, size_t ignored) {
        (void)ignored;
        return log->ended;
}

void gateway_link_end(struct network_log *log) {
        struct gateway_link *link = log->link;

        log->launched = NULL;
        if (!link)
                return;
        gateway_link_read(link); /* that it was used is reported before it was of any use */
        if (!log->link || !log->used) {
                gateway_link_forget(log);
                return;
        }
        if (gateway_end(link->socket, log->command, &(struct err){}) < 0 || !wait_until(link, PATIENCE, has_ended, log, 0))
                lose(link);
        else
                leave(log);
}
