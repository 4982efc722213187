/*
 * The network gateway: the only connection of a sandbox whose policy lists hosts. A separate process answers the DNS queries
 * of commands, accepts their connections on sockets that were made inside, decides by name, dials and relays.
 *
 * gateway_run() is that process. The other functions are for the engine. None of them waits.
 */
#ifndef BAILEY_GATEWAY_GATEWAY_H
#define BAILEY_GATEWAY_GATEWAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum gateway_socket {
        GATEWAY_DNS_UDP,
        GATEWAY_DNS_TCP,
        GATEWAY_TRANSPARENT, /* accepts connections to every address and port */
        GATEWAY_PORT,        /* to every address, of one port */
        GATEWAY_HOST_PORT,   /* at the command's localhost, for the same port of the host's */
        GATEWAY_CREDENTIAL,  /* there, too: the endpoint of a credential, EGRESS_CREDENTIAL_PORT and its place in the policy */
};

struct gateway_item {
        enum gateway_socket kind;
        uint16_t port;
        int fd;
};

enum { GATEWAY_ITEMS_MAX = 200 }; /* FDS_MAX of launch/files.h */

struct gateway_options {
        int socket;  /* SEQPACKET, to the engine */
        int outside; /* a pidfd: this process exits when that one does */
        int alive;   /* a pipe that only that process holds the other end of: ends this one also while it is stopped;
                        -1: none */
        const char *resolv_conf; /* NULL: /etc/resolv.conf */
        bool keep_stderr;        /* for tests */
};

/*
 * Confines itself and serves until the engine ends. Allocates: the process must be one where malloc() works. A child that a
 * program with threads has made with clone() is none, one of fork() is.
 */
_Noreturn void gateway_run(const struct gateway_options *options);

/* ---- for the engine ---- */

/* Hosts are reached through an HTTP proxy (upstream_read()) but for those in `except` (upstream_excepts()). Once, at first. */
int gateway_use_proxy(int socket, struct str url, struct str except, struct err *err);

/* bailey-tls has the other end of this socket, which is copied (gateway/handover.h); -1: it does not run, and why. */
int gateway_use_tls(int socket, int tls, const char *why, struct err *err);

/* A command, by a unique number; `egress` is the output of egress_write(). Files are copied. */
int gateway_add(int socket, uint64_t command, struct str egress, const struct gateway_item *items, size_t count,
                struct err *err);

/* More sockets of a command that was added. */
int gateway_listen(int socket, uint64_t command, const struct gateway_item *items, size_t count, struct err *err);

/* Sockets of a command for a port of another one, `target`, of which sockets are requested as for published ports. They are
 * closed when that one ends. */
int gateway_forward(int socket, uint64_t command, uint64_t target, const struct gateway_item *items, size_t count,
                    struct err *err);

/* Replaces the policy at once. Connections that it does not allow are closed. */
int gateway_change(int socket, uint64_t command, struct str egress, struct err *err);

/* Listens at the host's 127.0.0.1, for `inside_port` of the command: GATEWAY_PUBLISHED, or GATEWAY_FAILED with `port`. */
int gateway_publish(int socket, uint64_t command, uint16_t host_port, uint16_t inside_port, struct err *err);

/* Answers GATEWAY_NEEDS_SOCKET with a TCP socket made inside; -1: there is none. */
int gateway_give_socket(int socket, uint64_t command, int fd, struct err *err);

/* Asks for rows and sums of a running command: GATEWAY_ROW for each host, then GATEWAY_SUMS. */
int gateway_ask(int socket, uint64_t command, struct err *err);

/* Closes everything of the command: GATEWAY_ROW for each host, then GATEWAY_ENDED. */
int gateway_end(int socket, uint64_t command, struct err *err);

enum gateway_event_kind {
        GATEWAY_READY,   /* it is confined and serves */
        GATEWAY_USED,    /* the first query or connection of a command, before it is answered */
        GATEWAY_REFUSED, /* the first refusal of this host, port and reason */
        GATEWAY_ROW,     /* connections to a host; refused ones come first; at most GATEWAY_ROWS_MAX */
        GATEWAY_ENDED,   /* the sums of all connections, also of those without a row */
        GATEWAY_NEEDS_SOCKET,
        GATEWAY_PUBLISHED,
        GATEWAY_FAILED, /* `text` says why */
        GATEWAY_SUMS,
        GATEWAY_NEEDS_TLS, /* gateway_use_tls() is awaited */
        GATEWAY_TLS_ENDED, /* bailey-tls has: its connections are closed; `command` is none */
};

enum { GATEWAY_ROWS_MAX = 64, GATEWAY_REFUSALS_MAX = 16 /* of these; the audit log keeps 32 rows */ };

/* How the gateway recognised the host. */
enum gateway_by {
        GATEWAY_BY_DNS,
        GATEWAY_BY_SNI,
        GATEWAY_BY_HTTP,
        GATEWAY_BY_ADDRESS,
        GATEWAY_BY_FORWARD,
        GATEWAY_BY_CREDENTIAL,
};

enum gateway_reason {
        GATEWAY_ALLOWED,
        GATEWAY_NOT_LISTED,
        GATEWAY_DENIED,
        GATEWAY_PORT_NOT_LISTED,
        GATEWAY_PRIVATE,         /* the name has a private address */
        GATEWAY_SPECIAL_ADDRESS, /* the name has an address that is forbidden for names; `text`: its kind */
        GATEWAY_OTHER_NAME,      /* TLS or HTTP asked for `host`; the name that was resolved is in `text` */
        GATEWAY_NO_NAME,         /* the address came from no name, and the connection contains none */
        GATEWAY_UNRESOLVED,
        GATEWAY_UNREACHABLE,
        GATEWAY_LIMIT,
        GATEWAY_PROXY,             /* not reachable through the proxy; `text`: why */
        GATEWAY_CREDENTIAL_FAILED, /* no request with the credential; `text`: why */
};

struct gateway_event {
        enum gateway_event_kind kind;
        enum gateway_by by;
        uint64_t command;
        enum gateway_reason reason;
        uint16_t port; /* 0: a DNS question */
        uint32_t open; /* connections of the command, now */
        uint64_t connections, up, down;
        char host[256], address[46], text[256]; /* NUL-terminated, printable ASCII only */
};

/* 1: one; 0: none now; -1: the gateway has ended. */
int gateway_receive(int socket, struct gateway_event *ret);

/* The sentence for a refusal, for people, 403 responses, ssh and DNS clients. Truncated to `size`; returns its length. */
size_t gateway_message(const struct gateway_event *event, char *out, size_t size);

const char *gateway_by_name(enum gateway_by by);             /* "dns", "sni", ... */
const char *gateway_reason_name(enum gateway_reason reason); /* "allowed", "not_listed", ... */

#endif
