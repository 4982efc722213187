/*
 * What is said to a proxy, and what it answers: CONNECT of HTTP/1.1. Pure; fuzzed.
 */
#ifndef BAILEY_GATEWAY_PROXY_ANSWER_H
#define BAILEY_GATEWAY_PROXY_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum {
        PROXY_REQUEST_MAX = 2048,
        PROXY_HEAD_MAX = 8 << 10, /* of an answer */
};

/* The line of a request that has user:password; empty without these. */
void proxy_header_write(struct str login, char *out, size_t size);

/* Returns its length; 0: it does not fit. */
size_t proxy_request_write(struct str name, uint16_t port, const char *header, char *out, size_t size);

enum proxy_words {
        PROXY_MORE, /* not enough bytes yet */
        PROXY_BAD,  /* no answer of HTTP/1, or one without an end */
        PROXY_HEAD,
};

/* The head of an answer is `ret_len` bytes long; what follows comes from the host. */
enum proxy_words proxy_answer_read(const uint8_t *bytes, size_t len, int *ret_status, size_t *ret_len);

/* Why there is no way through the proxy, in our own words: what it says about it is not passed on. */
void proxy_status_text(int status, char *out, size_t size);

#endif
