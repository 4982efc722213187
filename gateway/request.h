/*
 * The host that the first request of an HTTP/1 client is for. Pure; fuzzed.
 */
#ifndef BAILEY_GATEWAY_REQUEST_H
#define BAILEY_GATEWAY_REQUEST_H

#include "gateway/hello.h"

enum { REQUEST_HEAD_MAX = 16 << 10 };

/*
 * A name with the port cut off. Two different hosts, a Host that is no host, folded lines, an endless head and CONNECT are
 * FIRST_BAD: servers read them in more than one way.
 */
enum first_words request_read(const uint8_t *bytes, size_t len, char ret_name[static HELLO_NAME_MAX + 1]);

#endif
