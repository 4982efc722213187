/*
 * SHA-256 (FIPS 180-4), to recognise content: what a user has trusted, what a record was; and what bailey itself has said.
 */
#ifndef BAILEY_BASE_SHA256_H
#define BAILEY_BASE_SHA256_H

#include <stdint.h>

#include "base/str.h"

enum {
        SHA256_SIZE = 32,
        SHA256_BLOCK = 64,
        SHA256_HEX_SIZE = 2 * SHA256_SIZE + 1,
};

struct sha256 {
        uint32_t state[8];
        uint64_t length; /* bytes so far */
        uint8_t block[SHA256_BLOCK];
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, struct str bytes);
void sha256_end(struct sha256 *sha, uint8_t ret_digest[static SHA256_SIZE]);

/* The whole at once, as 64 lower-case digits and a NUL. */
void sha256_hex(struct str bytes, char ret_hex[static SHA256_HEX_SIZE]);

/* HMAC-SHA-256 (RFC 2104): only who knows the key can make it. */
void sha256_hmac(struct str key, struct str bytes, uint8_t ret_mac[static SHA256_SIZE]);

/* Takes as long whatever they hold, so that nobody learns from the time how much of a guess is right. */
bool sha256_same(const uint8_t a[static SHA256_SIZE], const uint8_t b[static SHA256_SIZE]);

#endif
