/*
 * Requests of HTTP/1 on their way through us. Pure; fuzzed.
 *
 * Plain HTTP as a proxy takes it: each request of a client with its target in full, "GET http://host/path". Many proxies allow
 * CONNECT for TLS only. What follows a request's body is the next request to the proxy, for any host: so all of them are read,
 * and a body whose end two programs could see in two places is refused.
 *
 * Or one request to the endpoint of a credential (`secret`): it is written anew for that host, with the secret's header instead
 * of any of that name, and nothing behind the end of its body is passed on.
 */
#ifndef BAILEY_GATEWAY_FORWARDED_H
#define BAILEY_GATEWAY_FORWARDED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

enum { FORWARDED_HEAD_MAX = 16 << 10 };

/* What is added, and to what. */
struct forwarded_secret {
        struct str host;  /* as Host has it: with the port, if that is not 443 */
        struct str name;  /* of the header */
        struct str value; /* with the scheme; printable */
};

struct forwarded {
        const char *host;                      /* of all requests; port 80 */
        const struct forwarded_secret *secret; /* NULL: to a proxy */
        const char *why;                       /* with a secret: why it has failed */
        enum {
                FORWARDED_HEAD,
                FORWARDED_BODY,
                FORWARDED_CHUNK,      /* its size */
                FORWARDED_CHUNK_DATA, /* and the line end behind it */
                FORWARDED_LAST_CHUNK, /* the empty line */
                FORWARDED_OVER,       /* with a secret: the request has ended, and what follows is ignored */
        } state;
        bool bad;           /* forwarded_feed() has failed */
        bool login_refused; /* the proxy refused the password */
        uint64_t left;
        size_t len; /* of the stored part of an incomplete line or head */
        char bytes[FORWARDED_HEAD_MAX];
};

/* Appends the bytes for the proxy. -1: a request that cannot be forwarded; the connection ends. */
int forwarded_feed(struct forwarded *forwarded, struct str in, struct buf *out);

/* The first head of a client, as far as it is there: can its connection be treated like this? Else it needs CONNECT. */
bool forwarded_possible(struct str in, const char *host);

#endif
