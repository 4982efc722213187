/*
 * The name that a TLS client asks for: the SNI of its ClientHello, which may come in records of any size. Pure; fuzzed.
 */
#ifndef BAILEY_GATEWAY_HELLO_H
#define BAILEY_GATEWAY_HELLO_H

#include <stddef.h>
#include <stdint.h>

enum {
        HELLO_MAX = 16 << 10,      /* of a hello, without the heads of its records */
        HELLO_LOOK_MAX = 32 << 10, /* with them: a usual hello may come at one byte a record */
        HELLO_NAME_MAX = 253,
};

/* The name that the first bytes of a client contain: hello_read(), request_read(). */
enum first_words {
        FIRST_MORE,    /* not enough bytes yet */
        FIRST_OTHER,   /* another protocol */
        FIRST_BAD,     /* this one, but malformed or ambiguous */
        FIRST_NO_NAME, /* this one, without a name */
        FIRST_NAME,
};

/* `ret_name` is NUL-terminated, as it was sent, and printable ASCII without spaces. */
enum first_words hello_read(const uint8_t *bytes, size_t len, char ret_name[static HELLO_NAME_MAX + 1]);

#endif
