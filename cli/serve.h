/*
 * A page for one reader, over HTTP on this host only. The address that is printed holds a token that works once; a client that
 * presents it gets a cookie, and a path that only it knows.
 */
#ifndef BAILEY_CLI_SERVE_H
#define BAILEY_CLI_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/id.h"
#include "cli/shells_asker.h"

struct bailey_audit_page;

struct serve {
        struct bailey_audit_page *page;
        struct shells_asker shells;
        char problem[320]; /* why the record cannot be read now; empty: it can */
        char host[sizeof("127.0.0.1:65535")];
        char token[ID_SIZE], session[ID_SIZE];
        char place[ID_SIZE + 2]; /* "/<id>/". Cookies are shared between the ports of a host, but not between its paths */
        bool token_used;
};

/* Serves until SIGINT or SIGTERM comes. `port` 0: any that is free. `address` is told the address, once it can be opened. */
int serve_page(struct bailey_audit_page *page, uint16_t port, void (*address)(const char *text), struct err *err);

/* ---- serve_answer.c ---- */

/* The whole answer to a request, whose head is `head`; empty: more of it has to come. Returns whether the one who asks
 * proved to be the reader. */
bool serve_answer(struct serve *serve, struct str head, struct buf *ret);

#endif
