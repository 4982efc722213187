/*
 * How a session is reached from other processes of its user: a socket in a directory of theirs, a line that asks, an answer.
 *
 *     json                    all about the session, as JSON
 *     text                    the same for people
 *     allow DOMAIN            a change (engine/session/change.h)
 *     kill SHELL_ID
 *
 * The answer is "ok" or "error MESSAGE" and a newline; then, up to the end, what was asked for.
 */
#ifndef BAILEY_ENGINE_CONTROL_H
#define BAILEY_ENGINE_CONTROL_H

#include <sys/un.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "include/bailey.h"
#include "policy/files.h"

enum { CONTROL_LINE_MAX = 4096, CONTROL_ANSWER_MAX = 16 << 20, CONTROL_SECONDS = 5 };

/* The socket of a session: its id and this. */
#define CONTROL_SUFFIX ".sock"

/* How the message begins when it has no such shell. */
#define CONTROL_NO_SHELL "no shell has the id "

/* ---- control_place.c: where, and who ---- */

struct control_place {
        int fd; /* the directory of the sockets */
        struct directory directory;
};

/* Opens it; it has to be the user's alone. `make`: makes it; else ERR_NOT_FOUND when there is none. */
int control_open_place(const char *const *environment, bool make, struct control_place *ret, struct err *err);

/* Of a socket in it. */
void control_address(const struct control_place *place, const char *name, struct sockaddr_un *ret);

/* May the process at the other end of a connection speak to this session? */
bool control_welcomes(int fd);

/* ---- control.c ---- */

/* What a line gets. */
void control_answer(struct bailey_session *session, struct str line, struct buf *out);

/* Takes over a connection, which must not block, of somebody who is welcome. Closes it when there are too many. */
void control_take(struct bailey_session *session, int fd);

/* ---- ask.c: the other end ---- */

/* Sends the line, and returns the text behind the first line of the answer; `ret` may be NULL. ERR_REFUSED: the session's own
 * words; ERR_SYSTEM: it does not answer, or not like this. */
int control_ask(int fd, struct str line, struct buf *ret, struct err *err);

#endif
