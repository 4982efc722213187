#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gateway/loop.h"

void address_format(const uint8_t address[16], char ret[static INET6_ADDRSTRLEN]) {
        struct host host;

        verdict_address_host(address, &host);
        snprintf(ret, INET6_ADDRSTRLEN, "%.*s", (int)host.len, host.text);
}

/* ---- rows ---- */

static struct row *row_find(const struct command *command, enum gateway_by by, enum gateway_reason reason, const char *host,
                            uint16_t port) {
        for (struct row *row = command->rows; row; row = row->next)
                if (row->by == by && row->reason == reason && row->port == port && !row->rest && strcmp(row->host, host) == 0)
                        return row;
        return NULL;
}

/* The row for all that have none of their own. */
static struct row *row_rest(const struct command *command, bool allowed) {
        for (struct row *row = command->rows; row; row = row->next)
                if (row->rest && (row->reason == GATEWAY_ALLOWED) == allowed)
                        return row;
        return NULL;
}

/* One that was just found is soon wanted again. */
static void row_to_front(struct command *command, struct row *row) {
        struct row **at = &command->rows;

        while (*at != row)
                at = &(*at)->next;
        *at = row->next;
        row->next = command->rows;
        command->rows = row;
}

static struct row *row_add(struct command *command, enum gateway_by by, enum gateway_reason reason, const char *host,
                           uint16_t port, const uint8_t *address) {
        bool allowed = reason == GATEWAY_ALLOWED;
        size_t *count = allowed ? &command->row_count : &command->refusal_count;
        bool rest = *count >= (allowed ? COMMAND_ROWS_MAX : COMMAND_REFUSALS_MAX);
        struct row *row = rest ? row_rest(command, allowed) : NULL;

        if (row)
                return row;
        if (rest)
                host = "";
        row = calloc(1, sizeof(*row) + strlen(host) + 1);
        if (!row)
                return NULL;
        row->by = by;
        row->reason = reason;
        row->port = rest ? 0 : port;
        row->rest = rest;
        memcpy(row->host, host, strlen(host) + 1);
        if (address && !rest)
                address_format(address, row->address);
        row->next = command->rows;
        command->rows = row;
        ++*count;
        return row;
}

struct row *row_get(struct command *command, enum gateway_by by, const char *host, uint16_t port, const uint8_t *address) {
        struct row *row = row_find(command, by, GATEWAY_ALLOWED, host, port);

        if (row)
                row_to_front(command, row);
        return row ? row : row_add(command, by, GATEWAY_ALLOWED, host, port, address);
}

void row_free_all(struct command *command) {
        while (command->rows) {
                struct row *row = command->rows;

                command->rows = row->next;
                free(row->text);
                free(row);
        }
}

/* ---- sending ---- */

bool event_try(struct gateway *gateway, const struct gateway_event *event) {
        ssize_t len = send(gateway->engine.fd, event, sizeof(*event), MSG_DONTWAIT | MSG_NOSIGNAL);

        if (len == (ssize_t)sizeof(*event))
                return true;
        if (errno != EAGAIN && errno != ENOBUFS && errno != ENOMEM)
                _exit(0); /* there is no engine any more */
        return false;
}

static void wait_for_engine(struct gateway *gateway, bool full) {
        if (full == gateway->engine_full)
                return;
        gateway->engine_full = full;
        loop_change(&gateway->engine, EPOLLIN | (full ? EPOLLOUT : 0));
}

void event_send(struct gateway *gateway, const struct gateway_event *event) {
        if (!gateway->outbox_count && event_try(gateway, event))
                return;
        if (gateway->outbox_count == LOOP_OUTBOX)
                _exit(1); /* it does not listen, and must not wait for ever for what it has asked */
        gateway->outbox[(gateway->outbox_first + gateway->outbox_count++) % LOOP_OUTBOX] = *event;
        wait_for_engine(gateway, true);
}

static struct gateway_event event_of_row(const struct command *command, const struct row *row) {
        struct gateway_event event = { .kind = GATEWAY_ROW,
                                       .command = command->id,
                                       .by = row->by,
                                       .reason = row->reason,
                                       .port = row->port,
                                       .open = command->open,
                                       .connections = row->connections,
                                       .up = row->up,
                                       .down = row->down };

        snprintf(event.host, sizeof(event.host), "%s", row->host);
        snprintf(event.address, sizeof(event.address), "%s", row->address);
        snprintf(event.text, sizeof(event.text), "%s", row->text ? row->text : "");
        return event;
}

/* Row number `at` of those that are sent: refusals, then hosts; NULL past the last. Refusals, which a command can have as many
 * of as it likes, leave room for the hosts that it has reached. */
static const struct row *row_at(const struct command *command, size_t at) {
        size_t room[] = { GATEWAY_REFUSALS_MAX, GATEWAY_ROWS_MAX - GATEWAY_REFUSALS_MAX };

        for (int allowed = 0; allowed < 2; allowed++)
                for (const struct row *row = command->rows; row && room[allowed]; row = row->next) {
                        if ((row->reason == GATEWAY_ALLOWED) != allowed || row->rest || !row->connections)
                                continue;
                        room[allowed]--;
                        if (at-- == 0)
                                return row;
                }
        return NULL;
}

/* What was asked of this command; false when the engine reads no more now. */
static bool send_answer(struct gateway *gateway, struct command *command) {
        const struct row *row;
        struct gateway_event event;

        while ((row = row_at(command, command->sent))) {
                event = event_of_row(command, row);
                if (!event_try(gateway, &event))
                        return false;
                command->sent++;
        }
        event = (struct gateway_event){ .kind = command->ending ? GATEWAY_ENDED : GATEWAY_SUMS,
                                        .command = command->id,
                                        .open = command->open,
                                        .connections = command->connection_count,
                                        .up = command->up,
                                        .down = command->down };
        if (!event_try(gateway, &event))
                return false;
        command->asked = false;
        return true;
}

static void free_command(struct gateway *gateway, struct command **at) {
        struct command *command = *at;

        *at = command->next;
        gateway->command_count--;
        connection_forget_unfinished(gateway, command);
        names_free(&command->names);
        row_free_all(command);
        arena_free(&command->arena);
        free(command->egress_bytes);
        command->egress_bytes = NULL;
        loop_unwatch(&command->set);
        command->dead = gateway->dead_commands; /* its turn may not be over */
        gateway->dead_commands = command;
}

static bool flush_commands(struct gateway *gateway) {
        struct command **at = &gateway->commands;

        while (*at) {
                struct command *command = *at;

                if (!forward_ask_sockets(gateway, command) || (command->asked && !send_answer(gateway, command)))
                        return false;
                if (command->ending && !command->asked && !command->connections)
                        free_command(gateway, at);
                else
                        at = &command->next;
        }
        return true;
}

void event_flush(struct gateway *gateway) {
        bool full = false;

        while (gateway->outbox_count && !full) {
                full = !event_try(gateway, &gateway->outbox[gateway->outbox_first]);
                if (!full) {
                        gateway->outbox_first = (gateway->outbox_first + 1) % LOOP_OUTBOX;
                        gateway->outbox_count--;
                }
        }
        wait_for_engine(gateway, full || !flush_commands(gateway));
}

/* ---- refusals ---- */

void refusal_record(struct gateway *gateway, struct command *command, const struct refusal *refusal,
                    struct gateway_event *ret) {
        struct row *row = row_find(command, refusal->by, refusal->reason, refusal->host, refusal->port);
        bool first = !row;
        struct gateway_event event = { .kind = GATEWAY_REFUSED,
                                       .command = command->id,
                                       .by = refusal->by,
                                       .reason = refusal->reason,
                                       .port = refusal->port,
                                       .open = command->open,
                                       .connections = 1 };

        if (!row)
                row = row_add(command, refusal->by, refusal->reason, refusal->host, refusal->port, refusal->address);
        if (row) {
                if (first && !row->rest && refusal->text)
                        row->text = strdup(refusal->text);
                row->connections++;
        }
        snprintf(event.host, sizeof(event.host), "%s", refusal->host);
        snprintf(event.text, sizeof(event.text), "%s", refusal->text ? refusal->text : "");
        if (refusal->address)
                address_format(refusal->address, event.address);
        if (ret)
                *ret = event;
        /* those that the engine has no time for are in the rows */
        if (first && row && !row->rest && gateway->outbox_count < LOOP_OUTBOX / 2)
                event_send(gateway, &event);
}
