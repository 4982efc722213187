/*
 * The directory of the control sockets, which only the user can enter, and a check of who connects.
 */
#ifndef BAILEY_ENGINE_CONTROL_PLACE_H
#define BAILEY_ENGINE_CONTROL_PLACE_H

#include <stdbool.h>
#include <sys/un.h>

#include "base/err.h"
#include "policy/files.h"

struct control_place {
        int fd; /* the directory of the sockets */
        struct directory directory;
};

/* Opens it; only the user may have access to it. `make`: creates it; else ERR_NOT_FOUND if it does not exist. */
int control_open_place(const char *const *environment, bool make, struct control_place *ret, struct err *err);

/* Of a socket in it. */
void control_address(const struct control_place *place, const char *name, struct sockaddr_un *ret);

/* Returns true if the process at the other end of a connection may use this session. */
bool control_welcomes(int fd);

#endif
