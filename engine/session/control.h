/*
 * The control protocol of a session, for other processes of its user: a unix socket, one request line, one response.
 *
 *     json                    all about the session, as JSON
 *     text                    the same as text
 *     refused                 the newest refusals that are in no file, as records; a line each
 *     allow DOMAIN            a change (engine/session/change.h); the lists that have changed, and a notice
 *     kill SHELL_ID
 *
 * The response is "ok" or "error MESSAGE" and a newline; then, up to the end, the requested data.
 */
#ifndef BAILEY_ENGINE_CONTROL_H
#define BAILEY_ENGINE_CONTROL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "engine/control_place.h"
#include "include/bailey.h"

enum { CONTROL_LINE_MAX = 4096, CONTROL_ANSWER_MAX = 16 << 20, CONTROL_SECONDS = 5, CONTROL_REFUSED = 5 };

/* The socket of a session: its id and this. */
#define CONTROL_SUFFIX ".sock"

/* Start of the error message for an unknown shell. */
#define CONTROL_NO_SHELL "no shell has the id "

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

/* The refusals of all sessions that are in no file. One that does not respond has none. */
int control_ask_refused(const char *const *environment, struct buf *ret, struct err *err);

#endif
