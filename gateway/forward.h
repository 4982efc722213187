/*
 * Ports between the host's localhost and the command's: `host_ports` outward, `publish` inward.
 */
#ifndef BAILEY_GATEWAY_FORWARD_H
#define BAILEY_GATEWAY_FORWARD_H

#include "gateway/loop.h"

/* Listens at the host's 127.0.0.1, and reports it to the engine. */
int forward_publish(struct gateway *gateway, struct command *command, uint16_t host_port, uint16_t inside_port,
                    struct err *err);

#endif
