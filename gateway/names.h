/*
 * Names of a command and the addresses that DNS responses returned for them. Kept until the command ends.
 */
#ifndef BAILEY_GATEWAY_NAMES_H
#define BAILEY_GATEWAY_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum {
        NAMES_PAIRS_MAX = 4096,   /* of a name and an address; the oldest names go */
        NAMES_NAMES_MAX = 4096,   /* also those without an address */
        NAMES_ADDRESSES_MAX = 16, /* of a name */
        NAMES_JUDGED_MAX = 32,    /* of an address, for each connection to it */
        NAMES_BUCKETS = 256,
};

struct name {
        struct name *next, *older, *newer; /* in its bucket; by age */
        int64_t until;                     /* of the last answer, time_monotonic() */
        uint8_t (*addresses)[16];          /* IPv4 as ::ffff:a.b.c.d, IPv4 first */
        uint8_t (*real)[16];               /* names_set_real() */
        uint8_t count, real_count;
        uint8_t len;
        char text[];
};

/* A present or former address of a name. */
struct name_pair {
        struct name_pair *next;
        struct name *name;
        uint8_t address[16];
};

struct names {
        struct name *by_text[NAMES_BUCKETS], *oldest, *newest;
        struct name_pair *by_address[NAMES_BUCKETS];
        size_t pair_count, name_count;
};

void names_free(struct names *names);

/* The name with its last answer, NULL: none. */
struct name *names_find(const struct names *names, struct str text);

/*
 * An answer: the name has these addresses now. Those it had before still lead to it, as programs keep addresses for longer than
 * DNS says. NULL without memory.
 */
struct name *names_put(struct names *names, struct str text, const uint8_t (*addresses)[16], size_t count, int64_t until);

/* The addresses that the name has outside, where it was given others here. -1 without memory. */
int names_set_real(struct name *name, const uint8_t (*addresses)[16], size_t count);

/* The next pair of this address, NULL first; newest first. */
const struct name_pair *names_of_address(const struct names *names, const uint8_t address[16],
                                         const struct name_pair *previous);

#endif
