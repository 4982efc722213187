/*
 * Runs a command in a container, with an engine's client. The container is ended even if bailey or the client is killed: this
 * is a separate process, which waits for that.
 */
#ifndef BAILEY_LAUNCH_CONTAINER_H
#define BAILEY_LAUNCH_CONTAINER_H

#include "sandbox/launch.h"

/* 0, 1 and 2 are the command's. Reports over `report_fd`; the other two: launch/control.h. Allocates nothing. */
_Noreturn void container_run(const struct launch_container *container, bool announce, int report_fd, int asked_fd,
                             int outside_fd);

#endif
