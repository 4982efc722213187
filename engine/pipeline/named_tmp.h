/*
 * A session of `bailey run --session NAME`: commands with the same name and workspace share a /tmp (launch/tmp_holder.h),
 * though each of them is run by another process of the user. A background process keeps it, and passes it to processes that
 * connect to its socket, in the directory of control sockets (engine/control_place.h). It ends when no command has used it for
 * a while.
 */
#ifndef BAILEY_ENGINE_NAMED_TMP_H
#define BAILEY_ENGINE_NAMED_TMP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { NAMED_TMP_NAME_MAX = 64, NAMED_TMP_LIST_MAX = 256 };

struct named_tmp {
        const char *name; /* NULL: the session has none */
        const char *const *environment;
        int64_t idle;   /* how long it is kept without a command; nanoseconds */
        int connection; /* while it is open, the session is in use; -1: it is not */
};

/* What it is to be started with. */
struct named_tmp_content {
        const char *workspace;
        uint64_t size;
        const char *stage; /* a directory of stage/: the commands share an overlay of the workspace; NULL: a /tmp */
};

/* What the process says of itself. */
struct named_tmp_state {
        char name[NAMED_TMP_NAME_MAX + 1];
        char workspace[PATH_MAX];
        unsigned users; /* commands that run, besides who asks */
};

/* Starts the session, unless it is there, with this content. `ret_socket` is where sandboxes ask for it (struct
 * tmp_holder). Sets `lost` if the process that kept it was killed: this is a new one. */
int named_tmp_join(struct named_tmp *named, const struct named_tmp_content *content, uint32_t id_base, bool *lost,
                   int *ret_socket, struct err *err);

void named_tmp_leave(struct named_tmp *named);

/* Those of the user, at most `most`. Returns how many, or -1. */
int named_tmp_list(const char *const *environment, struct named_tmp_state *ret, size_t most, struct err *err);

/* Ends it; commands that run keep their /tmp. ERR_NOT_FOUND: there is no such session. */
int named_tmp_end(const char *const *environment, const char *workspace, const char *name, struct err *err);

/* ---- named_tmp_keeper.c: the process ---- */

enum named_tmp_request {
        NAMED_TMP_JOIN = 'j', /* the reply has a descriptor: where sandboxes ask */
        NAMED_TMP_TELL = 't',
        NAMED_TMP_END = 'e',
};

struct named_tmp_reply {
        struct err err;
        struct named_tmp_state state;
};

struct named_tmp_keeper {
        int listener;
        int place;     /* the directory that its socket is in */
        char file[80]; /* the socket's name there */
        int64_t idle;
        uint64_t size;
        char stage[PATH_MAX]; /* empty: it keeps a /tmp */
        int lock;             /* of the stage; -1: none */
        uint32_t id_base;
        struct named_tmp_state state;
};

/* Starts it. It outlives this process, and keeps none of its files. */
int named_tmp_keep(const struct named_tmp_keeper *given, struct err *err);

#endif
