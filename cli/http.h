/*
 * The little of HTTP/1.1 that a page for one reader needs: the head of a request, read strictly. Whatever is unusual is
 * refused; nothing is guessed, decoded or joined.
 */
#ifndef BAILEY_CLI_HTTP_H
#define BAILEY_CLI_HTTP_H

#include <stddef.h>

#include "base/str.h"

enum { HTTP_HEAD_MAX = 32 << 10 }; /* cookies of all other servers of this host may be in it */

enum http_status {
        HTTP_INCOMPLETE = 0, /* more bytes have to come */
        HTTP_OK = 200,
        HTTP_BAD_REQUEST = 400,
        HTTP_FORBIDDEN = 403,
        HTTP_NOT_FOUND = 404,
        HTTP_METHOD_NOT_ALLOWED = 405,
        HTTP_MISDIRECTED = 421,
        HTTP_TOO_LARGE = 431,
        HTTP_FAILED = 500,
        HTTP_VERSION_UNKNOWN = 505,
};

struct http_request {
        struct str path, query; /* as they were sent; the query without its question mark */
        struct str host;        /* there is exactly one */
        struct str cookies;     /* at most one line of them */
};

/* Reads the head in `bytes`: HTTP_OK, HTTP_INCOMPLETE, or the status to answer with. Fills `ret` only with HTTP_OK. */
enum http_status http_read(struct str bytes, struct http_request *ret);

/* The value of a cookie; nothing when there is none, or more than one. */
struct str http_cookie(const struct http_request *request, const char *name);

const char *http_reason(enum http_status status);

#endif
