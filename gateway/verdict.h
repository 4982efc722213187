/*
 * What may be reached: by the policy of a command, by the names that it has resolved, and by what a client says first. Pure.
 */
#ifndef BAILEY_GATEWAY_VERDICT_H
#define BAILEY_GATEWAY_VERDICT_H

#include "gateway/gateway.h"
#include "gateway/hello.h"
#include "gateway/names.h"
#include "policy/egress.h"
#include "policy/hosts.h"

/* Addresses of this machine, which no name may have. */
struct own_addresses {
        const uint8_t (*items)[16];
        size_t count;
        const uint8_t (*proxy)[16]; /* of the proxy, which would get to all hosts */
        size_t proxy_count;
};

/* An answer of DNS outside, without the addresses that the name may not have. */
struct vetted {
        size_t count;
        uint8_t addresses[NAMES_ADDRESSES_MAX][16]; /* IPv4 first */
        enum gateway_reason reason;                 /* of the first that was left out */
        uint8_t left_out[16];
        const char *kind; /* of it: "a loopback address" */
};

void verdict_vet(const struct egress *egress, const struct host *host, struct own_addresses own, const uint8_t (*addresses)[16],
                 size_t count, struct vetted *ret);

/* A name of DNS: letters, digits, hyphens, underscores, dots. -1: it is none, or an address. */
int verdict_name(struct str text, struct host *ret);
enum gateway_reason verdict_of_name(const struct egress *egress, const struct host *host);
enum gateway_reason verdict_of_place(const struct egress *egress, const struct host *host, uint16_t port);

void verdict_address_host(const uint8_t address[16], struct host *ret);

/* A connection before its client has said anything. */
struct verdict_start {
        enum {
                START_REFUSE, /* at once */
                START_LOOK,   /* only what the client says can allow it */
                START_DIAL,   /* and look at what it says */
                START_PASS,   /* without a look: the address itself is listed */
        } action;
        enum gateway_by by;
        enum gateway_reason reason;
        const struct name *name; /* that led here, NULL: none */
        struct host host;
};
void verdict_start(const struct egress *egress, const struct names *names, struct own_addresses own, const uint8_t address[16],
                   uint16_t port, struct verdict_start *ret);

/* An address that no name may lead to, whatever it was when it was resolved. */
bool verdict_denies_address(const struct egress *egress, const uint8_t address[16]);

/* What its client says first. */
struct verdict_look {
        enum {
                LOOK_WAIT,
                LOOK_REFUSE,
                LOOK_PASS,    /* to where it goes anyway */
                LOOK_RESOLVE, /* to `host` */
        } action;
        enum {
                SPEAKS_OTHER,
                SPEAKS_TLS,
                SPEAKS_HTTP,
                SPEAKS_SSH,
        } speaks; /* for a refusal that the client understands */
        enum gateway_by by;
        enum gateway_reason reason;
        struct host host; /* if it named one */
};
void verdict_look(const struct egress *egress, bool named, uint16_t port, const uint8_t *bytes, size_t len,
                  struct verdict_look *ret);

#endif
