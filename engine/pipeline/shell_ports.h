/*
 * What a background command of a session listens at is there for its other commands, at the same port of their localhost:
 * "start the server, then curl it". Each command has a network of its own, so that the gateway relays these connections.
 *
 * When a command starts, it gets listeners at the ports that are known then. After that they are looked at several times a
 * second, as long as there is a command that could use them.
 */
#ifndef BAILEY_ENGINE_SHELL_PORTS_H
#define BAILEY_ENGINE_SHELL_PORTS_H

#include "engine/pipeline/gateway_link.h"

struct run;
struct job_setup;

/* A command of the session that runs. */
struct shell_ports {
        struct shell_ports *next;
        struct run *run;
        bool listed;
        bool apart;                             /* it runs in the background, and no other command reaches its ports */
        int diag;                               /* launch/listeners.c; -1: it has no ports for others */
        uint16_t ports[LAUNCH_SHELL_PORTS_MAX]; /* that it listens at itself, at the last look */
        size_t count;
        struct {
                uint16_t port;
                struct shell_ports *of;
        } others[LAUNCH_SHELL_PORTS_MAX]; /* of other commands, that it has listeners for, or has asked for them */
        size_t other_count;
};

/* Adds to the plan of a command what the others listen at now. */
void shell_ports_plan(struct run *run);

/* The command has started; it has ended, or never started. */
void shell_ports_begin(struct run *run);
void shell_ports_end(struct run *run);

/* Takes sockets that are no concern of the policy's; what is left is for the gateway. */
void shell_ports_take(struct run *run, struct egress_sockets *sockets);

/* The ports that background commands listen at: "3000, 5173"; NULL: there are none whose ports this command could reach. */
const char *shell_ports_served(struct run *run);

/* When shell_ports_due() has something to do; monotonic, 0: never. */
int64_t shell_ports_deadline(struct gateway_link *link);
void shell_ports_due(struct gateway_link *link, int64_t now);

#endif
