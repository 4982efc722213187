#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/time.h"
#include "gateway/proxy.h"
#include "gateway/question.h"

static ssize_t look_peek(struct gateway *gateway, const struct connection *connection) {
        return recv(connection->sides[COMMAND_SIDE].watch.fd, gateway->buffer, HELLO_LOOK_MAX, MSG_PEEK | MSG_DONTWAIT);
}

/* What the client seems to speak, from what it has said so far. */
int look_speaks(struct gateway *gateway, const struct connection *connection) {
        ssize_t n = connection->credential ? 0 : look_peek(gateway, connection);
        struct verdict_look look = { .speaks = connection->credential ? SPEAKS_HTTP : SPEAKS_OTHER };

        if (n > 0)
                verdict_look(&connection->command->egress, true, connection->port, gateway->buffer, (size_t)n, &look);
        return look.speaks;
}

bool look_waits(const struct connection *connection) {
        char byte;

        return recv(connection->sides[COMMAND_SIDE].watch.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

static void resolved(struct gateway *gateway, struct waiter *waiter, const struct resolution *resolution) {
        struct connection *connection = CONTAINER_OF(waiter, struct connection, waiter);
        struct row *row = connection->row;
        struct refusal refusal = { .by = row->by, .port = connection->port, .host = row->host };
        struct vetted vetted;
        struct host host;
        bool through;

        connection->state = CONNECTION_DIAL;
        connection->command->resolving--;
        if (verdict_name(str_z(row->host), &host) < 0) {
                connection_close(gateway, connection, true); /* the row of all the rest: cannot be */
                return;
        }
        through = proxy_is_for(gateway, &host, connection->port);
        if (resolution->kind == RESOLUTION_NOT_TRIED ||
            (!through && (resolution->kind != RESOLUTION_FOUND || !resolution->count))) {
                connection_give_up(gateway, connection, GATEWAY_UNRESOLVED,
                                   resolution->kind >= RESOLUTION_FAILED ? resolution->text : "no such name");
                return;
        }
        question_take_answer(gateway, connection->command, &host, resolution, &vetted);
        if (!vetted.count && vetted.reason != GATEWAY_ALLOWED) {
                refusal.reason = vetted.reason;
                refusal.text = vetted.kind;
                refusal.address = vetted.left_out;
                connection_refuse(gateway, connection, &refusal, look_speaks(gateway, connection), 403);
        } else if (through) {
                proxy_dial(gateway, connection, host.text);
        } else if (dial_set_addresses(connection, NULL, (const uint8_t(*)[16])vetted.addresses, vetted.count) < 0) {
                connection_close(gateway, connection, true);
        } else {
                dial_next(gateway, connection);
        }
}

void look_resolve(struct gateway *gateway, struct connection *connection) {
        struct host host;

        if (!connection->row || connection->row->rest || verdict_name(str_z(connection->row->host), &host) < 0) {
                connection_close(gateway, connection, true);
                return;
        }
        if (connection->command->resolving >= COMMAND_RESOLVING_MAX) {
                connection_give_up(gateway, connection, GATEWAY_LIMIT, "too many names are being resolved");
                return;
        }
        connection->state = CONNECTION_RESOLVE;
        connection->command->resolving++;
        connection->waiter.done = resolved;
        connection->waiter.command = connection->command->id;
        resolver_find(gateway->resolver, connection->row->host, &connection->waiter,
                      proxy_is_for(gateway, &host, connection->port));
}

/* A name that no question led to: it is resolved here, so that the client's address does not matter. */
static void resolve(struct gateway *gateway, struct connection *connection, const struct verdict_look *look) {
        const struct name *name = names_find(&connection->command->names, host_text(&look->host));
        bool known = name && name->count && name->until > time_monotonic();

        timer_stop(&connection->words);
        connection->looking = false;
        connection_take_row(connection, look->by, look->host.text, NULL);
        if (!connection->row || connection->row->rest)
                connection_close(gateway, connection, true);
        else if (known && proxy_is_for(gateway, &look->host, connection->port))
                proxy_dial(gateway, connection, look->host.text);
        else if (!known || proxy_made(name->addresses[0]))
                look_resolve(gateway, connection);
        else if (dial_set_addresses(connection, NULL, (const uint8_t(*)[16])name->addresses, name->count) < 0)
                connection_close(gateway, connection, true);
        else
                dial_next(gateway, connection);
}

static void refuse_words(struct gateway *gateway, struct connection *connection, const struct verdict_look *look) {
        const struct row *row = connection->row;
        bool named_host = look->host.len;
        char address[INET6_ADDRSTRLEN] = "";
        struct refusal refusal = { .by = look->by, .reason = look->reason, .port = connection->port, .host = look->host.text };

        if (connection->addresses)
                address_format(connection->addresses[0], address);
        if (!named_host) {
                refusal.host = row ? row->host : address;
                refusal.by = row ? row->by : GATEWAY_BY_ADDRESS;
        }
        if (refusal.reason == GATEWAY_OTHER_NAME)
                refusal.text = row ? row->host : "";
        connection_refuse(gateway, connection, &refusal, look->speaks, 403);
}

/* Of several names of an address, that counts which the client asked for: in what is recorded, and when one is denied later. */
static void take_name(struct gateway *gateway, struct connection *connection, const struct verdict_look *look) {
        struct row *before = connection->row;

        if (before && strcmp(before->host, look->host.text) == 0)
                return;
        if (connection->state == CONNECTION_RESOLVE) { /* what is found belongs to the name that is being looked up */
                struct verdict_look other = *look;

                other.reason = GATEWAY_OTHER_NAME;
                refuse_words(gateway, connection, &other);
                return;
        }
        if (connection->through) /* it goes to that host, too, which stays recorded */
                connection->command->connection_count--;
        else
                connection_leave_row(connection);
        connection_take_row(connection, look->by, look->host.text, NULL);
        if (!connection->row)
                connection_close(gateway, connection, true);
        else if (before && !connection->row->rest && !connection->row->address[0])
                memcpy(connection->row->address, before->address, sizeof(before->address));
}

void look_at(struct gateway *gateway, struct connection *connection) {
        ssize_t n = look_peek(gateway, connection);
        struct verdict_look look;

        if (n < 0) {
                if (errno != EAGAIN && errno != EINTR)
                        connection_close(gateway, connection, true);
                return;
        }
        if (n == 0) { /* it ends without a word */
                if (!connection->named || connection->state == CONNECTION_LOOK)
                        connection_close(gateway, connection, false);
                connection->looking = false;
                return;
        }
        verdict_look(&connection->command->egress, connection->named, connection->port, gateway->buffer, (size_t)n, &look);
        switch (look.action) {
        case LOOK_WAIT:
                if (!connection->words.queue)
                        timer_start(&gateway->first_words, &connection->words);
                break;
        case LOOK_REFUSE:
                refuse_words(gateway, connection, &look);
                break;
        case LOOK_PASS:
                timer_stop(&connection->words);
                connection->looking = false;
                if (connection->state == CONNECTION_LOOK) /* to the name that led here, whatever it says */
                        proxy_dial(gateway, connection, connection->row->host);
                if (connection->state < CONNECTION_PARTING && look.host.kind == HOST_NAME && look.host.len)
                        take_name(gateway, connection, &look);
                break;
        case LOOK_RESOLVE:
                resolve(gateway, connection, &look);
                break;
        }
}

/* It has said nothing that would do, for long enough. */
void connection_words_expired(struct gateway *gateway, struct timer *timer) {
        struct connection *connection = CONTAINER_OF(timer, struct connection, words);
        struct verdict_look look = { .by = GATEWAY_BY_ADDRESS, .reason = GATEWAY_NO_NAME };

        if (connection->named && connection->state == CONNECTION_LOOK && look_waits(connection)) {
                proxy_dial(gateway, connection, connection->row->host); /* its server may speak first */
                return;
        }
        look.speaks = look_speaks(gateway, connection);
        refuse_words(gateway, connection, &look);
}
