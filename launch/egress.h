/*
 * The way out of a sandbox whose command may reach some hosts: in its network namespace every address is local, and new
 * connections end at listening sockets, which are passed to the supervisor. The gateway (a process outside) accepts there,
 * decides, and connects outside. There is no other way out of the sandbox, even if the gateway does not run.
 */
#ifndef BAILEY_LAUNCH_EGRESS_H
#define BAILEY_LAUNCH_EGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sandbox/launch.h"

enum egress_socket {
        EGRESS_DNS_UDP,     /* port 53 of all addresses; IP_PKTINFO says which one was asked */
        EGRESS_DNS_TCP,     /* the same */
        EGRESS_TRANSPARENT, /* all other ports of all addresses but localhost; getsockname() is what was connected to */
        EGRESS_PORT,        /* or one port of all addresses, localhost too */
        EGRESS_HOST_PORT,   /* a port of 127.0.0.1 or ::1 */
        EGRESS_OUTGOING,    /* not connected: it connects to the command's ports */
        EGRESS_SHELL_PORT,  /* a port of 127.0.0.1 or ::1, for that of another command of the session */
        EGRESS_DIAG,        /* lists the command's listeners: launch/listeners.c */
};

enum { EGRESS_SOCKETS_MAX = 2 + LAUNCH_PORTS_MAX + 2 * LAUNCH_HOST_PORTS_MAX };

struct egress_sockets {
        bool transparent; /* EGRESS_TRANSPARENT; else one EGRESS_PORT for each port */
        bool ipv6;
        size_t count;
        struct {
                enum egress_socket kind;
                uint16_t port; /* 0: any */
                int fd;        /* does not block */
        } items[EGRESS_SOCKETS_MAX];
};

/* Returns true if sockets come from a sandbox of this launch; or if they are for the gateway. */
bool egress_expected(const struct launch_egress *egress);
bool egress_needs_gateway(const struct launch_egress *egress);

/*
 * In the sandbox's network namespace, with CAP_NET_ADMIN and CAP_NET_BIND_SERVICE, when localhost is up: sets up routes and
 * sockets, and sends the sockets to `control` (launch/control.h). Nothing stays open here. Allocates nothing.
 */
int egress_set_up(const struct launch_egress *egress, int control, struct err *err);

/* Sends one socket of this network namespace, which needs no capability. If that fails, sends a message without any. */
void egress_send_outgoing(int control);

/* Listens at a port of localhost, and sends the sockets, as EGRESS_SHELL_PORT; none if it is taken, or needs a capability. */
void egress_send_shell_port(int control, uint16_t port);

void egress_sockets_close(struct egress_sockets *sockets);

/* Outside: closes those that nobody has asked for. Which ports of the host are reached is not for pid 1 to say. */
void egress_sockets_check(const struct launch_egress *egress, struct egress_sockets *sockets);

/* ---- the message ---- */

/* The first byte of it, which identifies it. */
enum { EGRESS_MESSAGE = 'E' };
enum { EGRESS_MESSAGE_MAX = 4 + EGRESS_SOCKETS_MAX * 4 };

/* Reads one with its files, which are the result's then. -1: it is invalid, and all files are closed. */
int egress_sockets_read(const unsigned char *bytes, size_t len, const int *files, size_t file_count,
                        struct egress_sockets *ret);

/*
 * Routes and rules of the kernel: every address is local, and new connections go to a listener. egress_routes.c
 */

enum {
        EGRESS_DNS_PORT = 53,
        EGRESS_TRANSPARENT_PORT = 1, /* commands cannot bind it */
};

/* Makes all addresses of the network namespace local. It may have no IPv6. */
int egress_make_routes(bool *ret_ipv6, struct err *err);

/* Sends new TCP connections to a listener with IP_TRANSPARENT at EGRESS_TRANSPARENT_PORT, except those to port 53, to localhost
 * and to the sandbox's own addresses. -1 and errno: the kernel cannot do that, and nothing has changed. */
int egress_make_rules(bool ipv6);

/*
 * The ports that the processes of another network namespace listen at, by a NETLINK_SOCK_DIAG socket that was made there. In
 * /proc/PID/net/tcp the same takes milliseconds: it goes through all connections of the machine.
 */

/* TCP ports at which a connection to localhost arrives, each once, at most `max`. Does not wait; without an answer there are
 * none. */
size_t listeners_read(int diag, uint16_t *ret, size_t max);

struct listeners {
        uint16_t *ports;
        size_t count, max;
};

/* Adds those of one part of an answer, which may be any bytes. Returns false at the end of the answer. */
bool listeners_take(const void *bytes, size_t len, struct listeners *found);

#endif
