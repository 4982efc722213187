/*
 * The network gateway of a session, or of a single run (gateway/gateway.h): a process that is started when the first command
 * needs it, and what it reports of each command.
 */
#ifndef BAILEY_ENGINE_GATEWAY_LINK_H
#define BAILEY_ENGINE_GATEWAY_LINK_H

#include "engine/pipeline/credentials.h"
#include "gateway/gateway.h"
#include "launch/egress.h"
#include "launch/start.h"
#include "policy/policy.h"

/* What a command did on the network. */
struct network_log {
        struct gateway_link *link; /* NULL: the gateway does not know the command, or no longer */
        struct network_log *next;
        uint64_t command;
        const struct policy *policy;
        bool announced;            /* the gateway knows the command */
        struct launched *launched; /* that makes sockets inside, for published ports; NULL: not yet, or no longer */
        bool used;                 /* something was asked of the gateway */
        bool ended;                /* the sums are there */
        bool counted;              /* `open` is new */
        uint32_t open;             /* connections */
        bool lost;                 /* the gateway has ended before the command */
        bool tls_lost;             /* bailey-tls has ended while the command ran */
        bool by_ports;             /* connections to other ports than those of the policy are not seen: nf_tables is missing */
        size_t published;          /* ports that the host listens on by now */
        char failure[256];         /* of a port that cannot be published; empty: none */
        struct gateway_event sums;
        struct gateway_event rows[GATEWAY_ROWS_MAX]; /* refusals first */
        size_t count, refused;
};

/* How connections were caught, last. */
enum network_capture {
        CAPTURE_UNKNOWN,
        CAPTURE_TPROXY,
        CAPTURE_PORTS,
};

enum { REFUSALS_KEPT = 8 };

struct gateway_link {
        int socket;   /* readable: gateway_link_read(); -1: no gateway is running */
        int starter;  /* a pidfd of the process that starts it, until gateway_started() */
        int process;  /* a pidfd of it */
        int alive;    /* held open: it is killed when this is closed, even while it is stopped */
        int epoll_fd; /* gets the socket, with `epoll_data`; -1: none */
        void *epoll_data;
        uint64_t last;              /* the number of the newest command */
        bool told_unseen;           /* what `by_ports` means; once for all commands */
        const char *unusable_proxy; /* see upstream_choose(); NULL: none, or it has been told */
        struct network_log *logs;
        enum network_capture capture;
        struct {
                int64_t when; /* realtime */
                struct gateway_event event;
        } refusals[REFUSALS_KEPT];      /* a ring */
        uint64_t refusal_count;         /* of all; the newest is before that place */
        bool asking;                    /* gateway_link_count() is: rows are for the end of a command */
        struct shell_ports *shells;     /* running commands of the session, the newest first: shell_ports.h */
        struct credentials credentials; /* bailey-tls is started when the gateway asks for it */
        unsigned apart;                 /* background commands whose ports no other one reaches */
        bool told_apart;                /* once for all commands */
        int64_t shells_look;            /* when their ports are looked at next; monotonic, 0: never */
};

#define GATEWAY_LINK_NONE \
        { .socket = -1, .starter = -1, .process = -1, .alive = -1, .epoll_fd = -1, .credentials.alive = -1 }

/*
 * Starts the process; or ends it, whatever it does. gateway_start.c; the rest of this file is for others. Starting takes half a
 * millisecond, for which nobody waits: what is sent meanwhile is read later. gateway_started() must come before the first read,
 * and fails if there is no gateway.
 */
int gateway_start(struct gateway_link *link, const char *program, struct err *err);
int gateway_started(struct gateway_link *link);
void gateway_stop(struct gateway_link *link);

/* Ends the gateway; running commands lose their network. */
void gateway_link_close(struct gateway_link *link);

/* Starts `program` as the gateway, if none is running, and announces a command to it, with the ports that the policy publishes.
 * Waits only for these. The log must live until gateway_link_end() or gateway_link_forget(). */
int gateway_link_begin(struct gateway_link *link, const char *program, const char *const *environment,
                       const struct policy *policy, struct network_log *log, struct err *err);

/* The same for a command that runs without one: it has ports for others, or uses these. */
int gateway_link_join(struct gateway_link *link, const char *program, const char *const *environment,
                      const struct policy *policy, struct network_log *log, struct err *err);

/* Passes on a listener of the command that is for a port of the other one. */
void gateway_link_forward(struct network_log *log, const struct network_log *target, uint16_t port, int fd);

/* Passes on the sockets that were made inside, and closes them. */
void gateway_link_take(struct network_log *log, struct egress_sockets *sockets);

/* Does what the gateway asks for, and takes what it reports. Does not wait. */
void gateway_link_read(struct gateway_link *link);

/* How many connections of all commands are open. Waits a moment for the gateway; without an answer, it is as before. */
uint64_t gateway_link_count(struct gateway_link *link);

/* All commands that are running follow another policy from now on. */
int gateway_link_change(struct gateway_link *link, const struct policy *policy, struct err *err);

/* The command has ended: closes its connections, and completes its log, for which it waits a moment if it has used the
 * network. */
void gateway_link_end(struct network_log *log);

/* It did not start. */
void gateway_link_forget(struct network_log *log);

#endif
