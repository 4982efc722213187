/*
 * Names of containers: bailey-HOST-PID-START-TIME-RANDOM. They tell which process looks after one, so that one that nobody
 * looks after can be told from the others.
 */
#ifndef BAILEY_SANDBOX_CONTAINER_NAME_H
#define BAILEY_SANDBOX_CONTAINER_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum { CONTAINER_NAME_SIZE = 128, CONTAINER_HOST_SIZE = 17 };

/* Where nobody can tell whether its process is there: how long one may be at rest, and how long it may run. */
enum { CONTAINER_REST_SECONDS = 3600, CONTAINER_RUN_SECONDS = 24 * 3600 };

struct container_owner {
        char host[CONTAINER_HOST_SIZE]; /* this boot and pid namespace, as 16 digits */
        int64_t pid, start;             /* of /proc/PID/stat */
        int64_t time;                   /* seconds since 1970: when the container was made */
};

/* Of this process. */
int container_owner_here(struct container_owner *ret, struct err *err);

/* Always another one. */
int container_name_new(const struct container_owner *owner, char ret[static CONTAINER_NAME_SIZE], struct err *err);

/* False when it is not one of ours. */
bool container_name_read(struct str name, struct container_owner *ret);

/* Does nobody look after it any more? `here`: who asks. Of another host or pid namespace, or an earlier boot, only what is as
 * old as told above. Allocates nothing. */
bool container_abandoned(const struct container_owner *owner, bool runs, const struct container_owner *here);

#endif
