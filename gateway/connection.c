#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "gateway/handover.h"
#include "gateway/proxy.h"
#include "policy/addresses.h"

enum {
        CLOSING_READ_MAX = 16,
        CLOSE_BATCH = 16, /* a reset takes 0.1 ms, and others wait */
};

/* ---- the end ---- */

void connection_close_side(struct side *side, bool reset) {
        static const struct linger at_once = { .l_onoff = 1 };

        if (side->watch.fd < 0)
                return;
        if (reset)
                setsockopt(side->watch.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
        if (side->shared)
                loop_unwatch(&side->watch);
        else /* closing it takes it out of the set */
                close(TAKE_FD(side->watch.fd));
}

static void bury(struct gateway *gateway, struct connection *connection) {
        connection->next = gateway->grave;
        gateway->grave = connection;
}

static void stop_resolving(struct connection *connection) {
        if (connection->state == CONNECTION_RESOLVE)
                connection->command->resolving--;
        resolver_leave(&connection->waiter);
}

void connection_close(struct gateway *gateway, struct connection *connection, bool reset) {
        struct command *command = connection->command;

        if (connection->state == CONNECTION_DEAD)
                return;
        stop_resolving(connection);
        if (connection->state == CONNECTION_HANDED)
                handover_end(gateway, connection);
        connection->state = CONNECTION_DEAD;
        relay_drop(gateway, connection);
        for (int i = 0; i < 2; i++)
                connection_close_side(&connection->sides[i], reset);
        timer_stop(&connection->words);
        timer_stop(&connection->dial);
        free(connection->addresses);
        connection->addresses = NULL;
        free(connection->through);
        connection->through = NULL;
        free(connection->parting);
        connection->parting = NULL;
        free(connection->forwarded);
        connection->forwarded = NULL;
        *(connection->previous ? &connection->previous->next : &command->connections) = connection->next;
        if (connection->next)
                connection->next->previous = connection->previous;
        command->open--;
        gateway->open--;
        if (!connection->is_unfinished) /* or when its turn comes */
                bury(gateway, connection);
        command_resume(gateway, command);
}

/* A close would reset the connection while the client still sends, and the reset could overtake what we said. */
static void close_gently(struct gateway *gateway, struct connection *connection) {
        struct side *side = &connection->sides[COMMAND_SIDE];

        relay_drop(gateway, connection);
        connection_close_side(&connection->sides[OUTSIDE], true);
        timer_stop(&connection->words);
        timer_stop(&connection->dial);
        stop_resolving(connection); /* or it would be dialled after all */
        shutdown(side->watch.fd, SHUT_WR);
        connection->looking = false;
        connection->state = CONNECTION_CLOSING;
        timer_start(&gateway->closing, &connection->dial);
        side->watch.ready(gateway, &side->watch, EPOLLIN);
}

static void read_away(struct gateway *gateway, struct connection *connection) {
        for (int i = 0; i < CLOSING_READ_MAX; i++) {
                ssize_t n = recv(connection->sides[COMMAND_SIDE].watch.fd, gateway->buffer, LOOP_BUFFER, MSG_DONTWAIT);

                if (n < 0 && errno == EAGAIN)
                        return;
                if (n <= 0)
                        break;
        }
        connection_close(gateway, connection, false);
}

void connection_closing_expired(struct gateway *gateway, struct timer *timer) {
        struct connection *connection = CONTAINER_OF(timer, struct connection, dial);

        connection_close(gateway, connection, connection->state == CONNECTION_PARTING);
}

/* ---- refusals ---- */

static void say_and_close(struct gateway *gateway, struct connection *connection, int speaks, int status, const char *text) {
        if (!connection->published && refuse_say(connection->sides[COMMAND_SIDE].watch.fd, speaks, status, text))
                close_gently(gateway, connection);
        else
                connection_close(gateway, connection, true);
}

void connection_refuse(struct gateway *gateway, struct connection *connection, const struct refusal *refusal, int speaks,
                       int status) {
        struct gateway_event event;
        char text[600];

        refusal_record(gateway, connection->command, refusal, &event);
        gateway_message(&event, text, sizeof(text));
        say_and_close(gateway, connection, speaks, status, text);
}

/* Without a word of the client it is not known how to tell it. */
static void wait_for_words(struct gateway *gateway, struct connection *connection, const struct refusal *refusal) {
        struct gateway_event event;
        char text[600];

        refusal_record(gateway, connection->command, refusal, &event);
        gateway_message(&event, text, sizeof(text));
        connection_close_side(&connection->sides[OUTSIDE], true);
        timer_stop(&connection->words);
        connection->parting = strdup(text);
        connection->looking = false;
        connection->state = CONNECTION_PARTING;
        timer_start(&gateway->closing, &connection->dial);
}

static void part(struct gateway *gateway, struct connection *connection) {
        say_and_close(gateway, connection, look_speaks(gateway, connection), 502,
                      connection->parting ? connection->parting : "the host cannot be reached");
}

/* The host is allowed, and does not answer. A proxy may say so before the client has said anything. */
void connection_give_up(struct gateway *gateway, struct connection *connection, enum gateway_reason reason, const char *text) {
        struct row *row = connection->row;
        const char *host = row && !row->rest ? row->host : "";
        struct refusal refusal = {
                .by = row ? row->by : GATEWAY_BY_ADDRESS, .reason = reason, .port = connection->port, .host = host, .text = text
        };

        if (reason == GATEWAY_PROXY && connection->looking && look_waits(connection))
                wait_for_words(gateway, connection, &refusal);
        else
                connection_refuse(gateway, connection, &refusal, look_speaks(gateway, connection), 502);
}

/* ---- the relay ---- */

static void add_unfinished(struct command *command, struct connection *connection) {
        connection->is_unfinished = true;
        connection->unfinished = NULL;
        *(command->unfinished ? &command->unfinished_last->unfinished : &command->unfinished) = connection;
        command->unfinished_last = connection;
}

static struct connection *take_unfinished(struct command *command) {
        struct connection *connection = command->unfinished;

        command->unfinished = connection->unfinished;
        connection->is_unfinished = false;
        return connection;
}

void connection_relay(struct gateway *gateway, struct connection *connection) {
        int result = relay_turn(gateway, connection);

        if (result < 0) {
                if (!relay_tell(gateway, connection))
                        connection_close(gateway, connection, true);
        } else if (relay_ended(connection)) {
                connection_close(gateway, connection, false);
        } else if (result && !connection->is_unfinished) {
                add_unfinished(connection->command, connection);
        }
}

/* Those that it does not come to are the first in the next turn. */
void connection_continue(struct gateway *gateway, struct command *command) {
        const struct connection *last = command->unfinished_last;
        int64_t until = command->unfinished ? time_monotonic() + COMMAND_TURN_US * (TIME_SECOND / 1000000) : 0;

        while (command->unfinished && time_monotonic() < until) {
                struct connection *connection = take_unfinished(command);

                if (connection->state == CONNECTION_RELAY)
                        connection_relay(gateway, connection);
                else if (connection->state == CONNECTION_DEAD)
                        bury(gateway, connection);
                if (connection == last)
                        break;
        }
}

void connection_forget_unfinished(struct gateway *gateway, struct command *command) {
        while (command->unfinished)
                bury(gateway, take_unfinished(command));
}

/* ---- events ---- */

static void relay_event(struct gateway *gateway, struct connection *connection, const struct watch *watch, uint32_t events) {
        int error = 0;
        socklen_t len = sizeof(error);

        /* one that has ended its own direction is not read from any more, and may still break */
        if (events & EPOLLERR && getsockopt(watch->fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error)
                connection_close(gateway, connection, true);
        else
                connection_relay(gateway, connection);
}

/* What a read would tell, which is not needed then. */
static void take_events(struct side *side, uint32_t events) {
        side->quiet = !(events & ~(uint32_t)EPOLLOUT);
        side->hasty |= (events & ~(uint32_t)(EPOLLIN | EPOLLOUT)) != 0;
}

static void side_event(struct gateway *gateway, struct connection *connection, struct watch *watch, uint32_t events) {
        struct side *side = CONTAINER_OF(watch, struct side, watch);

        take_events(side, events);
        if (connection->looking && side == &connection->sides[COMMAND_SIDE] && !side->quiet)
                look_at(gateway, connection);
        switch ((enum connection_state)connection->state) {
        case CONNECTION_DIAL:
                dial_event(gateway, connection, watch, events);
                break;
        case CONNECTION_PROXY:
                proxy_event(gateway, connection, watch, events);
                break;
        case CONNECTION_RELAY:
                relay_event(gateway, connection, watch, events);
                break;
        case CONNECTION_RESOLVE:
        case CONNECTION_FIND:
        case CONNECTION_SOCKET:
        case CONNECTION_HANDOVER:
                if (events & (EPOLLERR | EPOLLHUP))
                        connection_close(gateway, connection, true);
                break;
        case CONNECTION_PARTING:
                part(gateway, connection);
                break;
        case CONNECTION_CLOSING:
                read_away(gateway, connection);
                break;
        case CONNECTION_LOOK:
        case CONNECTION_HANDED:
        case CONNECTION_DEAD:
                break;
        }
}

static void command_side_ready(struct gateway *gateway, struct watch *watch, uint32_t events) {
        side_event(gateway, CONTAINER_OF(watch, struct connection, sides[COMMAND_SIDE].watch), watch, events);
}

static void outside_ready(struct gateway *gateway, struct watch *watch, uint32_t events) {
        side_event(gateway, CONTAINER_OF(watch, struct connection, sides[OUTSIDE].watch), watch, events);
}

/* ---- the beginning ---- */

void connection_take_row(struct connection *connection, enum gateway_by by, const char *host, const uint8_t *address) {
        struct command *command = connection->command;

        connection->row = row_get(command, by, host, connection->port, address);
        if (connection->row)
                connection->row->connections++;
        command->connection_count++;
}

void connection_leave_row(struct connection *connection) {
        if (connection->row)
                connection->row->connections--;
        connection->row = NULL;
        connection->command->connection_count--;
}

static struct connection *connection_new(struct gateway *gateway, struct command *command, int fd) {
        struct connection *connection = calloc(1, sizeof(*connection));

        if (!connection)
                return NULL;
        connection->sides[COMMAND_SIDE].watch = (struct watch){ .ready = command_side_ready, .fd = fd };
        connection->sides[OUTSIDE].watch = (struct watch){ .ready = outside_ready, .fd = -1 };
        connection->command = command;
        connection->next = command->connections;
        if (connection->next)
                connection->next->previous = connection;
        command->connections = connection;
        command->open++;
        gateway->open++;
        return connection;
}

static void begin_forward(struct gateway *gateway, struct connection *connection, const struct listener *listener) {
        connection->published = listener->published;
        connection->port = listener->published ? listener->inside_port : listener->port;
        connection_take_row(connection, GATEWAY_BY_FORWARD, "localhost", NULL);
        if (listener->published) {
                connection->state = CONNECTION_SOCKET;
                connection->command->sockets_wanted++;
                event_flush(gateway);
        } else if (dial_set_addresses(connection, address_loopback[0], address_loopback + 1, 1) < 0) {
                connection_close(gateway, connection, true);
        } else {
                dial_next(gateway, connection);
        }
}

static void wait_to_look(struct gateway *gateway, struct connection *connection) {
        connection->state = CONNECTION_LOOK;
        timer_start(&gateway->first_words, &connection->words);
}

static void begin(struct gateway *gateway, struct connection *connection, const uint8_t address[16]) {
        struct command *command = connection->command;
        struct verdict_start start;
        struct refusal refusal;

        verdict_start(&command->egress, &command->names, own_addresses(gateway), address, connection->port, &start);
        if (start.action == START_REFUSE) {
                refusal = (struct refusal){ .by = start.by,
                                            .reason = start.reason,
                                            .port = connection->port,
                                            .host = start.host.text,
                                            .address = address };
                connection_refuse(gateway, connection, &refusal, SPEAKS_OTHER, 403);
                return;
        }
        if (dial_set_addresses(connection, address, start.name ? (const uint8_t(*)[16])start.name->addresses : NULL,
                               start.name ? start.name->count : 0) < 0) {
                connection_close(gateway, connection, true);
                return;
        }
        connection->named = start.action == START_DIAL;
        connection->looking = start.action != START_PASS;
        if (start.action == START_LOOK) {
                wait_to_look(gateway, connection);
                return;
        }
        if (proxy_is_for(gateway, &start.host, connection->port)) {
                connection_take_row(connection, start.by, start.host.text, NULL);
                if (proxy_wants_words(gateway, connection))
                        wait_to_look(gateway, connection);
                else
                        proxy_dial(gateway, connection, start.host.text);
        } else if (start.name && proxy_made(address)) {
                connection_take_row(connection, start.by, start.host.text, NULL);
                look_resolve(gateway, connection);
        } else {
                connection_take_row(connection, start.by, start.host.text, address);
                dial_next(gateway, connection);
        }
}

/* The address that the client wanted to connect to. */
static int destination(int fd, uint8_t ret[16], uint16_t *ret_port) {
        struct sockaddr_storage address = {};
        socklen_t len = sizeof(address);

        return getsockname(fd, (struct sockaddr *)&address, &len) < 0 ? -1 : dial_read_sockaddr(&address, ret, ret_port);
}

/* For a port of another command it is that one's, as if the host had connected to it. */
static struct command *owner(const struct gateway *gateway, const struct listener *listener) {
        return listener->target ? command_find(gateway, listener->target) : listener->command;
}

static void accepted(struct gateway *gateway, const struct listener *listener, struct command *command, int fd) {
        struct connection *connection = connection_new(gateway, command, fd);
        uint8_t address[16];

        command_used(gateway, command);
        if (!connection) {
                close(fd);
                return;
        }
        /* what a first event would tell is not known before it is watched, and a refusal needs no watching */
        if (loop_watch(command->set.fd, &connection->sides[COMMAND_SIDE].watch, CONNECTION_EVENTS) < 0 ||
            (listener->kind != GATEWAY_HOST_PORT && listener->kind != GATEWAY_CREDENTIAL &&
             destination(fd, address, &connection->port) < 0))
                connection_close(gateway, connection, true);
        else if (listener->kind == GATEWAY_CREDENTIAL)
                handover_begin(gateway, connection, (uint32_t)(listener->port - EGRESS_CREDENTIAL_PORT));
        else if (listener->kind == GATEWAY_HOST_PORT)
                begin_forward(gateway, connection, listener);
        else if (address_kind(address) == ADDRESS_LOOPBACK)
                connection_close(gateway, connection, true); /* it is the listener that is at localhost, too, not a server */
        else
                begin(gateway, connection, address);
}

void connection_ready(struct gateway *gateway, struct watch *watch, uint32_t events) {
        struct listener *listener = CONTAINER_OF(watch, struct listener, watch);
        struct command *command = owner(gateway, listener);

        (void)events;
        while (command && watch->fd >= 0 && time_monotonic() < listener->command->turn_until) {
                int fd;

                if (!command_may_connect(gateway, command)) {
                        command_pause(listener);
                        return;
                }
                fd = accept4(watch->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
                if (fd < 0) {
                        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
                                loop_files_short(gateway, listener);
                        return;
                }
                accepted(gateway, listener, command, fd);
        }
}

/* ---- changes ---- */

/* What is not allowed any more; where the host is not known any more, nothing is. */
static bool still_allowed(const struct connection *connection) {
        const struct row *row = connection->row;
        struct host host;

        if (!row)
                return connection->state == CONNECTION_LOOK; /* a look will come */
        if (row->by == GATEWAY_BY_FORWARD)
                return true; /* it does not depend on hosts */
        if (row->by == GATEWAY_BY_CREDENTIAL)
                return handover_still_allowed(connection) && (connection->through || !dial_reaches_denied(connection));
        if (row->rest || host_from_url(str_z(row->host), &host) < 0)
                return false;
        if (verdict_of_place(&connection->command->egress, &host, connection->port) != GATEWAY_ALLOWED)
                return false;
        return connection->through ? proxy_still_allowed(connection) : !dial_reaches_denied(connection);
}

void connection_judge_again(struct gateway *gateway, struct command *command) {
        struct connection *next;

        for (struct connection *connection = command->connections; connection; connection = next) {
                next = connection->next;
                if (connection->state < CONNECTION_PARTING && !still_allowed(connection))
                        connection_close(gateway, connection, true);
        }
}

bool connection_end(struct gateway *gateway, struct command *command) {
        for (int i = 0; i < CLOSE_BATCH && command->connections; i++)
                connection_close(gateway, command->connections, true);
        return !command->connections;
}

void connection_free_dead(struct gateway *gateway) {
        while (gateway->grave) {
                struct connection *connection = gateway->grave;

                gateway->grave = connection->next;
                free(connection);
        }
}
