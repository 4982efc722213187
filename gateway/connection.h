/*
 * A connection of a command, from accept() to the relay of its bytes.
 */
#ifndef BAILEY_GATEWAY_CONNECTION_H
#define BAILEY_GATEWAY_CONNECTION_H

#include "gateway/loop.h"

enum { COMMAND_SIDE, OUTSIDE }; /* of a published port: the host's client, the command */

/* One end, and the data read from it that the other end has not accepted yet. */
struct side {
        struct watch watch;
        char *kept;
        uint32_t kept_at, kept_len;
        struct relay_pipe *pipe; /* borrowed */
        uint64_t bytes;          /* that the other end has taken */
        bool eof, shut;          /* shut: nothing more will be sent to this end */
        bool quiet;              /* there is nothing to read before an event says so */
        bool hasty;              /* its end, or urgent data, is behind what can be read: no read shows that there is no more */
        bool shared;             /* others may have this file, too */
};

enum connection_state {
        CONNECTION_LOOK,    /* waits for the first bytes of the client, to find its destination */
        CONNECTION_RESOLVE, /* for the address of a name */
        CONNECTION_FIND,    /* for the address of the proxy */
        CONNECTION_SOCKET,  /* for a socket made inside */
        CONNECTION_DIAL,
        CONNECTION_PROXY,    /* for the proxy's answer */
        CONNECTION_HANDOVER, /* for bailey-tls to take it: handover.h */
        CONNECTION_HANDED,
        CONNECTION_RELAY,
        CONNECTION_PARTING, /* for the first bytes of the client, to refuse it in its protocol */
        CONNECTION_CLOSING, /* for the client to read the reason of the refusal */
        CONNECTION_DEAD,
};

struct connection {
        struct side sides[2];
        struct connection *previous, *next; /* of the command; next: of the dead, too */
        struct connection *unfinished;
        struct command *command;
        struct row *row;
        struct timer words, dial;
        struct waiter waiter;
        uint8_t (*addresses)[16];    /* to dial, NULL once that is done */
        char *through;               /* the name that the proxy is asked for; NULL: no proxy */
        struct forwarded *forwarded; /* requests of plain HTTP to a proxy, NULL: bytes are passed on as they are */
        char *parting;               /* rest of the message */
        uint8_t address_count, tried, rounds;
        uint8_t state;
        bool looking; /* no bytes of the client are forwarded before they are examined */
        bool named;   /* the address came from a name */
        bool published, is_unfinished;
        bool reported;       /* see handed */
        uint32_t credential; /* its place, and 1; 0: none */
        uint64_t handed;     /* its number at bailey-tls; 0: it is not there */
        uint16_t port;
        int error; /* of the last address */
};

enum { CONNECTION_EVENTS = EPOLLIN | EPOLLPRI | EPOLLOUT | EPOLLRDHUP | EPOLLET };

void connection_close(struct gateway *gateway, struct connection *connection, bool reset);
void connection_close_side(struct side *side, bool reset);
void connection_relay(struct gateway *gateway, struct connection *connection);
void connection_take_row(struct connection *connection, enum gateway_by by, const char *host, const uint8_t *address);
void connection_leave_row(struct connection *connection); /* for another one */

/* Records it, tells the client and ends the connection. `status`: of HTTP. */
void connection_refuse(struct gateway *gateway, struct connection *connection, const struct refusal *refusal, int speaks,
                       int status);

/* The host is allowed, and does not answer. */
void connection_give_up(struct gateway *gateway, struct connection *connection, enum gateway_reason reason, const char *text);

/* ---- look.c ---- */

/* Decides by the bytes of the client so far; may close the connection. */
void look_at(struct gateway *gateway, struct connection *connection);

/* Looks up the name of the connection's row, and dials. */
void look_resolve(struct gateway *gateway, struct connection *connection);
int look_speaks(struct gateway *gateway, const struct connection *connection);
bool look_waits(const struct connection *connection); /* no bytes yet */

/* ---- dial.c ---- */

/* Addresses to dial: the first one (NULL: none), then the others of the list. */
int dial_set_addresses(struct connection *connection, const uint8_t *first, const uint8_t (*others)[16], size_t count);
void dial_next(struct gateway *gateway, struct connection *connection);
void dial_event(struct gateway *gateway, struct connection *connection, const struct watch *watch, uint32_t events);
void dial_set_options(int fd);
/* -1: not an internet address. */
int dial_read_sockaddr(const struct sockaddr_storage *from, uint8_t ret[16], uint16_t *ret_port);
bool dial_reaches_denied(const struct connection *connection);          /* the address of its other end */
void dial_done(struct gateway *gateway, struct connection *connection); /* the host is there */

/* ---- relay.c ---- */

/* Moves available data; -1: the connection broke, 1: more to do in the next turn. */
int relay_turn(struct gateway *gateway, struct connection *connection);

/* The connection broke for a known reason, which was reported; it is closed. */
bool relay_tell(struct gateway *gateway, struct connection *connection);
bool relay_ended(const struct connection *connection);

/* Bytes that another process has relayed. */
void relay_count(struct connection *connection, uint64_t up, uint64_t down);

/* Releases the shared memory and pipes of a connection. */
void relay_drop(struct gateway *gateway, struct connection *connection);

/* ---- refuse.c ---- */

/* Tells the client in its own protocol; false: not possible in that protocol. */
bool refuse_say(int fd, int speaks, int status, const char *text);

#endif
