/*
 * The control protocol of a session, for other processes of its user: a unix socket, one request line, one response.
 *
 *     json                    all about the session, as JSON
 *     text                    the same as text
 *     allow DOMAIN            a change (engine/session/change.h); the lists that have changed
 *     kill SHELL_ID
 *
 * The response is "ok" or "error MESSAGE" and a newline; then, up to the end, the requested data.
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

/* Start of the error message for an unknown shell. */
#define CONTROL_NO_SHELL "no shell has the id "

/* ---- control_place.c: where, and who ---- */

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

/* ---- control.c ---- */

/* Writes the response to a request line to `out`. */
void control_answer(struct bailey_session *session, struct str line, struct buf *out);

/* Takes over a nonblocking connection of an accepted peer. Closes it if there are too many. */
void control_take(struct bailey_session *session, int fd);

/* ---- control_status.c ---- */

/* All about the session, in a line or several. -1 without memory. */
int control_put_json(struct bailey_session *session, struct buf *out);
int control_put_text(struct bailey_session *session, struct buf *out);

/* ---- ask.c: the other end ---- */

/* Sends the line, and returns the text after the first line of the response; `ret` may be NULL. ERR_REFUSED: the error of the
 * session; ERR_SYSTEM: no response, or an invalid one. */
int control_ask(int fd, struct str line, struct buf *ret, struct err *err);

#endif
