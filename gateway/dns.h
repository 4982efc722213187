/*
 * One DNS question in, one answer out. Pure; by hand, because a question without compression is less than any API. Fuzzed.
 */
#ifndef BAILEY_GATEWAY_DNS_H
#define BAILEY_GATEWAY_DNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum {
        DNS_QUESTION_MAX = 512,
        DNS_ANSWER_MAX = 1232,
        DNS_NAME_MAX = 253,
        DNS_A = 1,
        DNS_PTR = 12,
        DNS_AAAA = 28,
};

enum dns_code {
        DNS_OK = 0,
        DNS_SERVFAIL = 2,
        DNS_NXDOMAIN = 3,
};

struct dns_question {
        uint16_t type, size;         /* size: how long an answer over UDP may be */
        bool edns;                   /* there may be an extended error in the answer */
        bool clean;                  /* letters, digits, - and _ only: it may be asked on */
        size_t len;                  /* of head and question, which the answer repeats */
        struct str text;             /* refers to `name` */
        char name[DNS_NAME_MAX + 1]; /* lower case, without the dot at the end; if clean */
        uint8_t bytes[DNS_QUESTION_MAX];
};

/* -1: not a question that is answered; `ret` is undefined. */
int dns_read(const void *question, size_t len, struct dns_question *ret);

struct dns_answer {
        enum dns_code code;
        uint32_t ttl;
        const uint8_t (*addresses)[16]; /* IPv4 as ::ffff:a.b.c.d; those of another family than asked for are left out */
        size_t count;
        struct str name;       /* for DNS_PTR */
        struct str extra_text; /* reason of a refusal: RFC 8914, code 15; truncated to fit */
};

/* Returns its length. Includes as many addresses as fit. */
size_t dns_write(const struct dns_question *question, const struct dns_answer *answer, uint8_t *out, size_t size);

/* The address that 1.2.0.192.in-addr.arpa and the like of ip6.arpa ask for. */
bool dns_reverse(struct str name, uint8_t ret[16]);

#endif
