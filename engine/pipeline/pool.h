/*
 * Sandboxes that a session has ready for its next commands: launch/warm/warm.h. All are of one kind, that of the last command;
 * when the next one needs another kind, they go. Nobody waits for them: where none is ready, the command gets a new one.
 */
#ifndef BAILEY_ENGINE_POOL_H
#define BAILEY_ENGINE_POOL_H

#include "launch/warm/maker.h"

enum { POOL_MAX = 64 };

struct pool {
        struct maker maker; /* socket -1: there is none */
        struct buf key;     /* of all that are ready or on their way */
        int64_t broken;     /* when it was found that this kind cannot be had: it is tried again later; monotonic, 0: it can */
        struct warm ready[POOL_MAX];
        size_t count, asked;  /* ready; and on their way */
        size_t least, want;   /* how many should be: as configured, and as there is demand */
        int mounts;           /* /proc/self/mountinfo: tells when something was mounted or unmounted outside */
        int wake;             /* the same, for who waits; -1: nobody is told */
        int epoll_fd;         /* of who calls pool_due() whenever it is ready; -1: there is none */
        int64_t used, missed; /* when one was wanted, and none was there; monotonic */
        int64_t later;        /* when others are to be asked for; 0: they were */
};

void pool_init(struct pool *pool);

/* At the end, or when they are of no use any more. Waits until they are gone. */
void pool_empty(struct pool *pool);
void pool_free(struct pool *pool);

/* One whose key this is, as it would be made now. False: there is none. `least`: from now on, so many are to be ready. */
bool pool_take(struct pool *pool, struct str key, size_t least, struct warm *ret);

/* Asks for as many as should be there, when the command has been started: this is not to be waited for. As it would take
 * processors from that command, it happens a moment later where another is ready still. */
void pool_refill(struct pool *pool, const struct launch *launch, struct str key);

/* When there is something to do; monotonic, 0: never. And does it. When mounts outside have changed, that is now, and all go:
 * the next command asks for others. */
int64_t pool_deadline(const struct pool *pool);
void pool_due(struct pool *pool, int64_t now);

#endif
