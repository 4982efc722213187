/*
 * Warm sandboxes of a session (launch/warm/warm.h). All have the same key, that of the last command; when a command needs
 * another, they are discarded. Commands never wait for them: if none is ready, the command gets a new sandbox.
 */
#ifndef BAILEY_ENGINE_POOL_H
#define BAILEY_ENGINE_POOL_H

#include "launch/warm/maker.h"

enum { POOL_MAX = 64 };

struct pool {
        struct maker maker; /* socket -1: none */
        struct buf key;     /* of all that are ready or requested */
        int64_t broken;     /* when creating them failed; retried later; monotonic, 0: it works */
        struct warm ready[POOL_MAX];
        size_t count, asked;  /* ready; and requested */
        size_t least, want;   /* how many to keep: as configured, and by demand */
        int mounts;           /* /proc/self/mountinfo: reports mounts and unmounts outside */
        int wake;             /* the same, for the epoll; -1: none */
        int epoll_fd;         /* of the caller of pool_due(); -1: none */
        int64_t used, missed; /* when one was wanted, and none was there; monotonic */
        int64_t later;        /* when others are to be asked for; 0: they were */
};

void pool_init(struct pool *pool);

/* Discards all, and waits until they are gone. */
void pool_empty(struct pool *pool);
void pool_free(struct pool *pool);

/* Takes one with this key. Returns false if none is ready. `least`: from now on, keep so many. */
bool pool_take(struct pool *pool, struct str key, size_t least, struct warm *ret);

/* Requests as many as should be ready, after the command has been started; does not wait. Because it would take processor time
 * from that command, it is delayed a little if another one is still ready. */
void pool_refill(struct pool *pool, const struct launch *launch, struct str key);

/* Returns the time of the next action, monotonic, 0: never; and does what is due. If mounts outside have changed, all are
 * discarded now: the next command requests new ones. */
int64_t pool_deadline(const struct pool *pool);
void pool_due(struct pool *pool, int64_t now);

#endif
