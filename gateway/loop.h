/*
 * The inside of the gateway process: one thread, an epoll set for each command, everything bounded. What it serves hangs from
 * commands; a command holds its listeners, DNS questions, connections and the rows of what it reached.
 */
#ifndef BAILEY_GATEWAY_LOOP_H
#define BAILEY_GATEWAY_LOOP_H

#include <netinet/in.h>
#include <sys/epoll.h>

#include "base/arena.h"
#include "gateway/gateway.h"
#include "gateway/names.h"
#include "gateway/resolve.h"
#include "gateway/timer.h"
#include "gateway/verdict.h"
#include "policy/egress.h"

enum {
        LOOP_BUFFER = 256 << 10,   /* shared by all connections, and the most that is kept for one direction */
        LOOP_KEPT_SMALL = 4 << 10, /* that, once LOOP_KEPT_MAX is reached */
        LOOP_KEPT_MAX = 64 << 20,  /* of all directions */
        LOOP_OWN_MAX = 4096,       /* addresses of interfaces; kube-proxy makes thousands */
        LOOP_OUTBOX = 128,         /* events that wait for the engine */
        LOOP_COMMANDS_MAX = 256,   /* at a time */
        LOOP_FILES_SPARE = 128,    /* not used for connections */
        COMMAND_TURN_US = 1000,
        COMMAND_PUBLISHED_MAX = 64, /* ports */
        COMMAND_STREAMS_MAX = 32,   /* DNS over TCP */
        COMMAND_QUESTIONS_MAX = 48, /* that wait for an answer from outside: others have names, too (RESOLVE_MAX) */
        COMMAND_RESOLVING_MAX = 48, /* connections that do */
        COMMAND_QUESTIONS_SECOND = 200,
        COMMAND_ROWS_MAX = 1024, /* of hosts; the rest shares one */
        COMMAND_REFUSALS_MAX = 256,
};

struct gateway;

/* A file in an epoll set. */
struct watch {
        void (*ready)(struct gateway *gateway, struct watch *watch, uint32_t events);
        int fd, set;
};

#define CONTAINER_OF(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* ---- rows: the hosts of a command ---- */

struct row {
        struct row *next;
        enum gateway_by by;
        enum gateway_reason reason;
        uint16_t port;
        bool rest; /* of several hosts, because there were too many */
        uint64_t connections, up, down;
        char address[INET6_ADDRSTRLEN];
        char *text;  /* see struct gateway_event */
        char host[]; /* NUL-terminated */
};

struct listener {
        struct watch watch;
        struct command *command;
        struct listener *next;
        enum gateway_socket kind; /* GATEWAY_HOST_PORT, too, if published */
        bool published, paused;
        uint64_t target; /* a command whose port it is; 0: none */
        uint16_t port, inside_port;
};

/*
 * What belongs to a command is in an epoll set of its own, which is in the gateway's: in each turn every command has some of
 * its events handled, however many another one has.
 */
struct command {
        struct watch set;
        struct command *next, *dead;
        uint64_t id;
        int64_t turn_until;
        struct connection *unfinished, *unfinished_last; /* a queue */
        struct arena arena;                              /* of egress */
        char *egress_bytes;
        struct egress egress;
        struct names names;
        struct listener *listeners;
        struct connection *connections;
        struct question *questions;
        struct stream *streams;
        struct row *rows;
        uint32_t open;
        size_t row_count, refusal_count, stream_count, question_count, published_count;
        size_t resolving;      /* connections that wait for an address */
        size_t sockets_wanted; /* of GATEWAY_NEEDS_SOCKET, not yet sent */
        uint64_t connection_count, up, down;
        int64_t tokens_at; /* questions: when the tokens were counted */
        double tokens;
        uint16_t made_count; /* addresses: proxy.c */
        bool throttled;      /* a listener waits for tokens, or for a connection to end */
        bool used;           /* GATEWAY_USED was sent */
        /* the response to REQUEST_END or REQUEST_ASK, up to the point that the engine has read */
        bool ending, asked;
        size_t sent; /* rows */
};

struct gateway {
        int epoll;
        struct watch engine, outside, netlink, tls; /* tls: its file is -1 while there is none */
        bool tls_asked;                             /* the engine was, for bailey-tls */
        uint64_t handed;                            /* connections, to it */
        bool engine_full;                           /* EPOLLOUT is awaited */
        struct command *commands;
        size_t command_count;
        struct resolver *resolver;
        struct proxy *proxy; /* NULL: hosts are dialled directly */
        struct relay_pipes *pipes;
        uint8_t *buffer;
        uint8_t own[LOOP_OWN_MAX][16];
        size_t own_count;
        size_t open, open_max; /* connections */
        size_t kept;           /* bytes */
        struct connection *grave;
        struct stream *dead_streams;
        struct listener *dead_listeners;
        struct command *dead_commands;
        struct timer_queue first_words, dials, closing, idle_streams, lookups;
        int64_t files_short_until; /* no connection is accepted until then */
        char hostname[256];
        struct gateway_event *outbox; /* a ring */
        size_t outbox_first, outbox_count;
};

int loop_watch(int set, struct watch *watch, uint32_t events);
void loop_change(struct watch *watch, uint32_t events);
void loop_unwatch(struct watch *watch); /* and closes it */

/* The set of a command. */
int loop_open_set(struct gateway *gateway, struct command *command, struct err *err);

/* No descriptor is available for another connection: accepting pauses for a moment. */
void loop_files_short(struct gateway *gateway, struct listener *listener);

/* ---- events: events.c ---- */

/* An event that must arrive; the process exits if the engine reads none for a long time. */
void event_send(struct gateway *gateway, const struct gateway_event *event);

/* False: the engine does not read at present. */
bool event_try(struct gateway *gateway, const struct gateway_event *event);

/* Sends waiting events. */
void event_flush(struct gateway *gateway);

/* Finds or creates the row of a refusal, and reports the first one to the engine. `ret` may be NULL. */
struct refusal {
        enum gateway_by by;
        enum gateway_reason reason;
        uint16_t port;
        const char *host, *text; /* text: NULL: none */
        const uint8_t *address;  /* NULL: none */
};
void refusal_record(struct gateway *gateway, struct command *command, const struct refusal *refusal, struct gateway_event *ret);

/* The row of connections to a host; NULL without memory. */
struct row *row_get(struct command *command, enum gateway_by by, const char *host, uint16_t port, const uint8_t *address);
void row_free_all(struct command *command);

void address_format(const uint8_t address[16], char ret[static INET6_ADDRSTRLEN]);

/* ---- commands: command.c ---- */

void command_request(struct gateway *gateway, const void *bytes, size_t len, int *files, size_t file_count);
struct command *command_find(const struct gateway *gateway, uint64_t id);               /* NULL: there is none, or it ends */
void command_pause(struct listener *listener);                                          /* until there is room */
bool command_may_connect(const struct gateway *gateway, const struct command *command); /* is there room? */
int command_listen(struct command *command, struct listener from);                      /* takes its file */
void command_resume(struct gateway *gateway, struct command *command);                  /* paused listeners, if there is room */
void command_free_dead(struct gateway *gateway);
void command_used(struct gateway *gateway, struct command *command); /* tells the engine once, before the first answer */

/* Ends some connections of a command that ends, and responds after the last one; the command may be freed then. */
void command_end_some(struct gateway *gateway, struct command *command);

/* ---- forward.c ---- */

/* Requests sockets, as far as the engine reads. */
bool forward_ask_sockets(struct gateway *gateway, struct command *command);

/* ---- connections: connection.c ---- */

void connection_ready(struct gateway *gateway, struct watch *watch, uint32_t events); /* of a listener */
void connection_words_expired(struct gateway *gateway, struct timer *timer);
void connection_dial_expired(struct gateway *gateway, struct timer *timer);
void connection_closing_expired(struct gateway *gateway, struct timer *timer);
void connection_give_socket(struct gateway *gateway, struct command *command, int fd); /* -1: there is none */
void connection_judge_again(struct gateway *gateway, struct command *command);
bool connection_end(struct gateway *gateway, struct command *command);      /* some of the command; true: that was all */
void connection_continue(struct gateway *gateway, struct command *command); /* some of those in `unfinished` */
void connection_forget_unfinished(struct gateway *gateway, struct command *command); /* all of them are closed */
void connection_free_dead(struct gateway *gateway);

/* ---- addresses of this machine: own.c ---- */

int own_open(struct gateway *gateway, struct err *err);

struct own_addresses own_addresses(const struct gateway *gateway);

/* ---- confine.c ---- */

int confine(const char *resolv_conf, struct err *err);

#endif
