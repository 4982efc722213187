/*
 * What the commands of a session leave for the next one (run.state = "session"): the directory, and the exported variables that
 * differ from those of the session. It is carried from one sandbox to the next; no shell lives on.
 *
 * A command starts with what is there at its start, and what it has changed counts from its end on. All of it comes from
 * commands, so it is hostile input: see session_state_keep.c.
 */
#ifndef BAILEY_ENGINE_SESSION_STATE_H
#define BAILEY_ENGINE_SESSION_STATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum { SESSION_VARIABLES_MAX = 256 };

struct session_state {
        char *cwd;            /* NULL: the workspace */
        struct buf variables; /* STATE_SET and STATE_UNSET texts, as in launch/warm/state_page.h */
        bool told;            /* that the sandbox keeps none */
};

void session_state_init(struct session_state *state);
void session_state_free(struct session_state *state);

/* The next text of a list of such texts, its kind included, and without its NUL; empty at the end. */
struct str session_state_next(struct str *rest);

/* NAME of a text. */
struct str session_state_name(struct str text);

/* The environment `envp` with these changes. */
int session_state_merge(struct str variables, const char *const *envp, struct arena *arena, const char *const **ret,
                        struct err *err);

#endif
