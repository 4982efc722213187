#include "base/sha256.h"

#include "base/id.h"

/* clang-format off */
static const uint32_t round_constants[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
/* clang-format on */

static uint32_t rotate(uint32_t x, unsigned by) {
        return x >> by | x << (32 - by);
}

static uint32_t big_endian(const uint8_t *bytes) {
        return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void schedule_fill(const uint8_t *block, uint32_t schedule[64]) {
        for (unsigned i = 0; i < 16; i++)
                schedule[i] = big_endian(block + (size_t)4 * i);
        for (unsigned i = 16; i < 64; i++) {
                uint32_t a = schedule[i - 15], b = schedule[i - 2];

                schedule[i] = schedule[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + schedule[i - 7] +
                              (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
        }
}

static void block_mix(uint32_t state[8], const uint8_t *block) {
        uint32_t schedule[64], s[8];

        schedule_fill(block, schedule);
        memcpy(s, state, sizeof(s));
        for (unsigned i = 0; i < 64; i++) {
                uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
                uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
                uint32_t one = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + choice + round_constants[i] +
                               schedule[i];
                uint32_t two = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;

                memmove(s + 1, s, 7 * sizeof(*s));
                s[4] += one;
                s[0] = one + two;
        }
        for (unsigned i = 0; i < 8; i++)
                state[i] += s[i];
}

void sha256_init(struct sha256 *sha) {
        *sha = (struct sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                                           0x5be0cd19 } };
}

void sha256_add(struct sha256 *sha, struct str bytes) {
        while (bytes.len) {
                size_t filled = sha->length % SHA256_BLOCK;
                struct str part = str_take(bytes, SHA256_BLOCK - filled);

                memcpy(sha->block + filled, part.ptr, part.len);
                sha->length += part.len;
                if (filled + part.len == SHA256_BLOCK)
                        block_mix(sha->state, sha->block);
                bytes = str_skip(bytes, part.len);
        }
}

void sha256_end(struct sha256 *sha, uint8_t ret_digest[static SHA256_SIZE]) {
        static const char padding[SHA256_BLOCK] = { (char)0x80 };
        uint64_t bits = sha->length * 8;
        size_t filled = sha->length % SHA256_BLOCK;
        char length[8];

        for (unsigned i = 0; i < 8; i++)
                length[i] = (char)(bits >> (56 - 8 * i));
        sha256_add(sha, str_from(padding, (filled < 56 ? 56 : 120) - filled));
        sha256_add(sha, str_from(length, sizeof(length)));
        for (unsigned i = 0; i < SHA256_SIZE; i++)
                ret_digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_hex(struct str bytes, char ret_hex[static SHA256_HEX_SIZE]) {
        uint8_t digest[SHA256_SIZE];
        struct sha256 sha;

        sha256_init(&sha);
        sha256_add(&sha, bytes);
        sha256_end(&sha, digest);
        id_hex(str_from((const char *)digest, sizeof(digest)), ret_hex);
}

/* The key in a block, each of its bytes changed in one of two ways. */
static void key_block(struct str key, char flip, char ret[static SHA256_BLOCK]) {
        uint8_t digest[SHA256_SIZE];
        struct sha256 sha;

        if (key.len > SHA256_BLOCK) {
                sha256_init(&sha);
                sha256_add(&sha, key);
                sha256_end(&sha, digest);
                key = str_from((const char *)digest, sizeof(digest));
        }
        memset(ret, flip, SHA256_BLOCK);
        for (size_t i = 0; i < key.len; i++)
                ret[i] = (char)(ret[i] ^ key.ptr[i]);
}

void sha256_hmac(struct str key, struct str bytes, uint8_t ret_mac[static SHA256_SIZE]) {
        char block[SHA256_BLOCK];
        struct sha256 sha;

        key_block(key, 0x36, block);
        sha256_init(&sha);
        sha256_add(&sha, str_from(block, sizeof(block)));
        sha256_add(&sha, bytes);
        sha256_end(&sha, ret_mac);
        key_block(key, 0x5c, block);
        sha256_init(&sha);
        sha256_add(&sha, str_from(block, sizeof(block)));
        sha256_add(&sha, str_from((const char *)ret_mac, SHA256_SIZE));
        sha256_end(&sha, ret_mac);
}

bool sha256_same(const uint8_t a[static SHA256_SIZE], const uint8_t b[static SHA256_SIZE]) {
        volatile uint8_t different = 0; /* or the compiler could stop at the first */

        for (size_t i = 0; i < SHA256_SIZE; i++)
                different |= a[i] ^ b[i];
        return different == 0;
}
