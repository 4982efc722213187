/*
 * Runs a command in a container, by an engine's client. Whatever happens to bailey or to the client, the container is ended:
 * this is a process of its own, and stays until it is.
 */
#ifndef BAILEY_LAUNCH_CONTAINER_H
#define BAILEY_LAUNCH_CONTAINER_H

#include "sandbox/launch.h"

/* 0, 1 and 2 are the command's. Reports over `report_fd`; the other two: launch/control.h. Allocates nothing. */
_Noreturn void container_run(const struct launch_container *container, bool announce, int report_fd, int asked_fd,
                             int outside_fd);

#endif
