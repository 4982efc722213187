/*
 * Looks names up outside, with c-ares: resolv.conf and /etc/hosts, both families, without search domains. Does not wait.
 */
#ifndef BAILEY_GATEWAY_RESOLVE_H
#define BAILEY_GATEWAY_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gateway/timer.h"

enum {
        RESOLVE_MAX = 1024,         /* lookups at a time, of all commands */
        RESOLVE_COMMAND_MAX = 96,   /* of one, also those that nobody waits for any more */
        RESOLVE_ADDRESSES_MAX = 32, /* of a name */
};

struct resolver;
struct lookup;

enum resolution_kind {
        RESOLUTION_FOUND, /* maybe without an address */
        RESOLUTION_NO_NAME,
        RESOLUTION_FAILED,
        RESOLUTION_NOT_TRIED, /* there are too many: nothing is known of the name */
};

struct resolution {
        enum resolution_kind kind;
        const char *text; /* why it failed */
        uint32_t ttl;
        size_t count;
        uint8_t addresses[RESOLVE_ADDRESSES_MAX][16];
};

/* Somebody who waits for a lookup. */
struct waiter {
        struct waiter *next;
        struct lookup *lookup; /* NULL: it does not wait */
        struct timer timer;    /* of one that does not wait for long */
        uint64_t command;      /* that it is for; 0: all */
        void (*done)(struct gateway *gateway, struct waiter *waiter, const struct resolution *resolution);
};

int resolver_open(struct gateway *gateway, const char *resolv_conf, struct resolver **ret, struct err *err);

/*
 * `done` is called once, maybe before this returns. Who asks for a name that is being looked up waits with the others. `soon`:
 * who can do without an answer gets RESOLUTION_FAILED if there is none in a second.
 */
void resolver_find(struct resolver *resolver, const char *name, struct waiter *waiter, bool soon);
void resolver_leave(struct waiter *waiter);
void resolver_expired(struct gateway *gateway, struct timer *timer);

/* Timeouts of c-ares; returns when to call it again, -1: never. */
int resolver_turn(struct resolver *resolver);

#endif
