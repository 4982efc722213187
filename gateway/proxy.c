#include "gateway/proxy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/time.h"
#include "gateway/forwarded.h"
#include "gateway/proxy_answer.h"
#include "policy/addresses.h"

enum {
        LOOKUP_KEPT = 30, /* seconds, at least */
        PORT_HTTP = 80,
};

/* ---- which one ---- */

static void take_address(struct proxy *proxy) {
        if (proxy->host.kind == HOST_NAME)
                return;
        if (proxy->host.kind == HOST_IPV4)
                address_from_ipv4(proxy->host.address, proxy->addresses[0]);
        else
                memcpy(proxy->addresses[0], proxy->host.address, 16);
        proxy->count = 1;
        proxy->until = INT64_MAX;
}

int proxy_set(struct gateway *gateway, struct str bytes, struct err *err) {
        struct proxy *proxy = calloc(1, sizeof(*proxy));
        size_t line = str_find(bytes, '\n');

        if (gateway->proxy || !proxy || !(proxy->bytes = malloc(bytes.len + 1))) {
                free(proxy);
                return err_set(err, ERR_INVALID, "the proxy is set twice, or there is no memory");
        }
        memcpy(proxy->bytes, bytes.ptr, bytes.len);
        bytes.ptr = proxy->bytes;
        if (upstream_read(str_take(bytes, line), &proxy->place) < 0 || host_from_url(proxy->place.host, &proxy->host) < 0) {
                free(proxy->bytes);
                free(proxy);
                return err_set(err, ERR_INVALID, "not the URL of a proxy");
        }
        proxy->except = str_skip(bytes, line + 1);
        proxy_header_write(str_from(proxy->place.login, proxy->place.login_len), proxy->header, sizeof(proxy->header));
        take_address(proxy);
        gateway->proxy = proxy;
        return 0;
}

bool proxy_is_for(const struct gateway *gateway, const struct host *host, uint16_t port) {
        return gateway->proxy && host->kind == HOST_NAME && !upstream_excepts(gateway->proxy->except, host, port);
}

/* ---- names ---- */

static const uint8_t made_prefix[2] = { 198, 19 };

bool proxy_made(const uint8_t address[16]) {
        return address_is_ipv4(address) && memcmp(address + ADDRESS_IPV4_AT, made_prefix, sizeof(made_prefix)) == 0;
}

static bool leads_elsewhere(const struct names *names, const uint8_t address[16], struct str name) {
        const struct name_pair *pair = NULL;

        while ((pair = names_of_address(names, address, pair)))
                if (!str_eq(str_from(pair->name->text, pair->name->len), name))
                        return true;
        return false;
}

/* The one that the name has already, or the next. There are more of them than names are remembered. */
static void make_address(struct command *command, struct str name, uint8_t ret[16]) {
        const struct name *known = names_find(&command->names, name);
        uint16_t number;

        for (size_t i = 0; known && i < known->count; i++)
                if (proxy_made(known->addresses[i])) {
                        memcpy(ret, known->addresses[i], 16);
                        return;
                }
        number = command->made_count = command->made_count == UINT16_MAX - 1 ? 1 : (uint16_t)(command->made_count + 1);
        address_from_ipv4((const uint8_t[]){ made_prefix[0], made_prefix[1], (uint8_t)(number >> 8), (uint8_t)number }, ret);
}

const struct name *proxy_hand_out(struct command *command, const struct host *host, const struct vetted *vetted,
                                  int64_t until) {
        uint8_t addresses[NAMES_ADDRESSES_MAX][16];
        struct str name = host_text(host);
        struct name *put;
        size_t count = 0;

        for (size_t i = 0; i < vetted->count; i++)
                if (!leads_elsewhere(&command->names, vetted->addresses[i], name))
                        memcpy(addresses[count++], vetted->addresses[i], 16);
        if (!count)
                make_address(command, name, addresses[count++]);
        put = names_put(&command->names, name, (const uint8_t(*)[16])addresses, count, until);
        return put && names_set_real(put, (const uint8_t(*)[16])vetted->addresses, vetted->count) == 0 ? put : NULL;
}

/* ---- the way to it ---- */

void proxy_failed(struct gateway *gateway, struct connection *connection, const char *text) {
        connection_give_up(gateway, connection, GATEWAY_PROXY, text);
}

static void dial(struct gateway *gateway, struct connection *connection) {
        const struct proxy *proxy = gateway->proxy;

        if (dial_set_addresses(connection, NULL, (const uint8_t(*)[16])proxy->addresses, proxy->count) < 0)
                connection_close(gateway, connection, true);
        else
                dial_next(gateway, connection);
}

/* Whatever its addresses are: it is not the command that chose it. */
static void found(struct gateway *gateway, struct waiter *waiter, const struct resolution *resolution) {
        struct connection *connection = CONTAINER_OF(waiter, struct connection, waiter);
        struct proxy *proxy = gateway->proxy;

        connection->state = CONNECTION_DIAL;
        if (resolution->kind == RESOLUTION_FOUND && resolution->count) {
                int64_t ttl = resolution->ttl > LOOKUP_KEPT ? resolution->ttl : LOOKUP_KEPT;

                proxy->count = resolution->count < NAMES_ADDRESSES_MAX ? resolution->count : NAMES_ADDRESSES_MAX;
                memcpy(proxy->addresses, resolution->addresses, proxy->count * sizeof(proxy->addresses[0]));
                proxy->until = time_monotonic() + ttl * TIME_SECOND;
        }
        if (proxy->count)
                dial(gateway, connection);
        else
                proxy_failed(gateway, connection, "its name cannot be resolved");
}

/*
 * As all clients that know a proxy: http:// is sent to it with the whole URL, and only the rest needs CONNECT. Not with a
 * password, though: what such a proxy answers goes to the client, and error pages, or TRACE, may repeat what it was sent.
 */
static bool may_forward(const struct gateway *gateway, const struct connection *connection) {
        return connection->port == PORT_HTTP && !connection->credential && !gateway->proxy->place.login_len;
}

bool proxy_wants_words(const struct gateway *gateway, const struct connection *connection) {
        return may_forward(gateway, connection) && connection->looking && connection->row && !connection->row->rest;
}

static int choose_way(struct gateway *gateway, struct connection *connection, const char *host) {
        ssize_t n = 0;

        connection->through = strdup(host);
        if (may_forward(gateway, connection) && !connection->looking)
                n = recv(connection->sides[COMMAND_SIDE].watch.fd, gateway->buffer, FORWARDED_HEAD_MAX,
                         MSG_PEEK | MSG_DONTWAIT);
        if (!connection->through || n <= 0 || !forwarded_possible(str_from((char *)gateway->buffer, (size_t)n), host))
                return connection->through ? 0 : -1;
        connection->forwarded = calloc(1, sizeof(*connection->forwarded));
        if (!connection->forwarded)
                return -1;
        connection->forwarded->host = connection->through;
        return 0;
}

/* Of a name that was resolved here: the proxy may go to any of its addresses. One that is forgotten is not known to be fine. */
static bool leads_to_denied(const struct command *command, const char *host) {
        const struct name *name = names_find(&command->names, str_z(host));

        for (size_t i = 0; name && i < name->real_count; i++)
                if (verdict_denies_address(&command->egress, name->real[i]))
                        return true;
        return !name;
}

void proxy_dial(struct gateway *gateway, struct connection *connection, const char *host) {
        if (leads_to_denied(connection->command, host)) { /* since it was resolved */
                connection_give_up(gateway, connection, GATEWAY_UNREACHABLE, err_text(EACCES));
                return;
        }
        if (choose_way(gateway, connection, host) < 0) {
                connection_close(gateway, connection, true);
        } else if (gateway->proxy->until > time_monotonic()) {
                dial(gateway, connection);
        } else { /* it is one lookup, however many wait for it: the command has its own for other names */
                connection->state = CONNECTION_FIND;
                connection->waiter.done = found;
                connection->waiter.command = 0;
                resolver_find(gateway->resolver, gateway->proxy->host.text, &connection->waiter, false);
        }
}

bool proxy_still_allowed(const struct connection *connection) {
        struct host host;

        return verdict_name(str_z(connection->through), &host) == 0 &&
               verdict_of_place(&connection->command->egress, &host, connection->port) == GATEWAY_ALLOWED &&
               !leads_to_denied(connection->command, connection->through);
}

/* ---- CONNECT ---- */

void proxy_connected(struct gateway *gateway, struct connection *connection) {
        char request[PROXY_REQUEST_MAX];
        size_t len = proxy_request_write(str_z(connection->through), connection->port, gateway->proxy->header, request,
                                         sizeof(request));

        if (connection->forwarded) {
                dial_done(gateway, connection);
                return;
        }
        connection->state = CONNECTION_PROXY;
        connection->rounds = 0;
        connection->tried = connection->address_count; /* no other is tried: this one has answered */
        timer_start(&gateway->dials, &connection->dial);
        if (!len || send(connection->sides[OUTSIDE].watch.fd, request, len, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)len)
                proxy_failed(gateway, connection, "it takes no request");
}

static void answered(struct gateway *gateway, struct connection *connection, int status, size_t len) {
        char text[128];

        /* no more than that: what follows is the host's, and goes to the client as it is */
        if (recv(connection->sides[OUTSIDE].watch.fd, gateway->buffer, len, MSG_DONTWAIT) != (ssize_t)len) {
                proxy_failed(gateway, connection, "its answer cannot be read");
        } else if (status / 100 != 2) {
                proxy_status_text(status, text, sizeof(text));
                proxy_failed(gateway, connection, text);
        } else {
                dial_done(gateway, connection);
        }
}

void proxy_event(struct gateway *gateway, struct connection *connection, const struct watch *watch, uint32_t events) {
        size_t len = 0;
        int status = 0;
        ssize_t n;

        if (watch == &connection->sides[COMMAND_SIDE].watch) {
                if (events & (EPOLLERR | EPOLLHUP))
                        connection_close(gateway, connection, true);
                return;
        }
        n = recv(watch->fd, gateway->buffer, PROXY_HEAD_MAX, MSG_PEEK | MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
                return;
        if (n < 0) {
                proxy_failed(gateway, connection, "it broke the connection");
                return;
        }
        switch (n ? proxy_answer_read(gateway->buffer, (size_t)n, &status, &len) : PROXY_BAD) {
        case PROXY_MORE:
                if (events & EPOLLRDHUP)
                        proxy_failed(gateway, connection, "it closed the connection");
                break;
        case PROXY_BAD:
                proxy_failed(gateway, connection, n ? "its answer is not HTTP, or too long" : "it closed the connection");
                break;
        case PROXY_HEAD:
                answered(gateway, connection, status, len);
                break;
        }
}
