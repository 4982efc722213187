/*
 * What the commands of a session have as /tmp, all of them the same (run.tmp = "session").
 */
#ifndef BAILEY_ENGINE_SESSION_TMP_H
#define BAILEY_ENGINE_SESSION_TMP_H

#include "engine/pipeline/named_tmp.h"
#include "launch/tmp_holder.h"
#include "run/tmpdir.h"

struct session_tmp {
        struct tmp_holder holder;
        struct named_tmp named;  /* if the session is one of several processes: who has the holder */
        struct tmpdir directory; /* where /tmp is the host's */
        struct arena arena;      /* of its path */
        bool used;               /* a command had it */
        bool lost;               /* the previous one was used, and its loss was not reported yet */
        bool told;               /* that a sandbox cannot share it */
};

void session_tmp_init(struct session_tmp *tmp);

/* Starts the holder, unless it is there; `id_base` as in struct launch. */
int session_tmp_hold(struct session_tmp *tmp, const char *workspace, uint64_t size, uint32_t id_base, struct err *err);

/* Creates the directory, unless it is there. The path is valid as long as `tmp`. */
int session_tmp_directory(struct session_tmp *tmp, const char **ret_path, struct err *err);

void session_tmp_free(struct session_tmp *tmp);

#endif
