/*
 * Names of containers: bailey-HOST-PID-START-TIME-RANDOM. They identify the process that owns a container,
 * so that containers whose owner is gone can be found.
 */
#ifndef BAILEY_SANDBOX_CONTAINER_NAME_H
#define BAILEY_SANDBOX_CONTAINER_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum { CONTAINER_NAME_SIZE = 128, CONTAINER_HOST_SIZE = 17 };

/* If it cannot be determined whether the owner still runs: how long a container may be idle, and how long it may run. */
enum { CONTAINER_REST_SECONDS = 3600, CONTAINER_RUN_SECONDS = 24 * 3600 };

struct container_owner {
        char host[CONTAINER_HOST_SIZE]; /* this boot and pid namespace, as 16 digits */
        int64_t pid, start;             /* of /proc/PID/stat */
        int64_t time;                   /* seconds since 1970: when the container was made */
};

/* Identifies this process as an owner. */
int container_owner_here(struct container_owner *ret, struct err *err);

/* Returns a new name each time. */
int container_name_new(const struct container_owner *owner, char ret[static CONTAINER_NAME_SIZE], struct err *err);

/* Returns false if it is not a name of a bailey container. */
bool container_name_read(struct str name, struct container_owner *ret);

/* Returns true if the owner of the container is gone. `here` identifies the caller. For containers of another host, pid
 * namespace or boot, the age limits above decide. Allocates nothing. */
bool container_abandoned(const struct container_owner *owner, bool runs, const struct container_owner *here);

#endif
