#include "engine/pipeline/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/fd.h"
#include "base/time.h"

enum {
        KEY_MAX = 4 << 20,
        MORE = 4, /* times what is configured, at most, while commands come faster than they are ready */
};

#define IDLE (60 * TIME_SECOND)
#define CALM (10 * TIME_SECOND)
#define MOMENT (5 * TIME_SECOND / 1000) /* most commands have ended by then */

void pool_init(struct pool *pool) {
        *pool = (struct pool){ .maker = { .pidfd = -1, .socket = -1 }, .mounts = -1, .wake = -1, .epoll_fd = -1 };
        buf_init(&pool->key, KEY_MAX);
}

static void drop(struct pool *pool) {
        if (pool->maker.socket >= 0)
                maker_end(&pool->maker);
        while (pool->count)
                warm_discard(&pool->ready[--pool->count]);
        pool->asked = 0;
        pool->later = 0;
        fd_close(TAKE_FD(pool->mounts));
        if (pool->wake >= 0) /* before it is closed: as in run/job.c */
                epoll_ctl(pool->epoll_fd, EPOLL_CTL_DEL, pool->wake, NULL);
        fd_close(TAKE_FD(pool->wake));
}

void pool_empty(struct pool *pool) {
        drop(pool);
        pool->broken = 0;
        buf_clear(&pool->key);
}

void pool_free(struct pool *pool) {
        pool_empty(pool);
        buf_free(&pool->key);
}

/* What is mounted outside now is not inside. */
static bool mounts_changed(const struct pool *pool) {
        struct pollfd mounts = { .fd = pool->mounts, .events = POLLPRI };

        return poll(&mounts, 1, 0) != 0;
}

static void want_more(struct pool *pool) {
        size_t most = pool->least * MORE < POOL_MAX ? pool->least * MORE : POOL_MAX;

        pool->missed = pool->used;
        pool->want = pool->want * 2 < most ? pool->want * 2 : most;
}

/* Takes in what the maker has made. */
static void collect(struct pool *pool) {
        struct err err;
        int got = 1;

        while (got == 1 && pool->maker.socket >= 0 && pool->count < POOL_MAX) {
                got = maker_take(&pool->maker, &pool->ready[pool->count], &err);
                pool->count += got == 1;
                pool->asked -= got && pool->asked;
        }
        if (got < 0 && err.sys == ESTALE) { /* which the next key tells */
                pool_empty(pool);
        } else if (got < 0) {
                drop(pool);
                pool->broken = pool->used;
        }
}

bool pool_take(struct pool *pool, struct str key, size_t least, struct warm *ret) {
        bool same = str_eq(buf_str(&pool->key), key);

        pool->used = time_monotonic();
        if (pool->least != least)
                pool->want = pool->least = least;
        if (least == 0 || !same || (pool->mounts >= 0 && mounts_changed(pool)) ||
            (pool->broken && pool->used - pool->broken >= CALM))
                pool_empty(pool);
        collect(pool);
        while (pool->count) {
                struct warm oldest = pool->ready[0];

                memmove(pool->ready, pool->ready + 1, --pool->count * sizeof(*pool->ready));
                if (warm_unchanged(&oldest)) {
                        *ret = oldest;
                        return true;
                }
                warm_discard(&oldest);
        }
        if (pool->maker.socket >= 0)
                want_more(pool);
        return false;
}

/* A change of the mounts is reported once per open file, and polling an epoll polls all files in it. So this is another file
 * than the one that decides whether warm sandboxes may be used. Without it, obsolete sandboxes are discarded when the next
 * command needs one, or later. */
static void watch_mounts(struct pool *pool) {
        struct epoll_event event = { .events = EPOLLPRI };

        pool->wake = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
        if (pool->wake >= 0 && epoll_ctl(pool->epoll_fd, EPOLL_CTL_ADD, pool->wake, &event) < 0)
                fd_close(TAKE_FD(pool->wake));
}

static int begin(struct pool *pool, const struct launch *launch, struct str key) {
        struct err err;

        buf_append(&pool->key, key);
        if (pool->epoll_fd >= 0)
                watch_mounts(pool); /* first: whatever the other tells of, this one has told, too */
        pool->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
        if (pool->key.failed || pool->mounts < 0)
                return -1;
        return maker_start(launch, warm_places(buf_str(&pool->key)), &pool->maker, &err);
}

static void top_up(struct pool *pool) {
        pool->later = 0;
        while (pool->count + pool->asked < pool->want && maker_ask(&pool->maker) == 0)
                pool->asked++;
}

void pool_refill(struct pool *pool, const struct launch *launch, struct str key) {
        if (pool->least == 0 || pool->broken)
                return;
        if (pool->maker.socket < 0 && begin(pool, launch, key) < 0) {
                pool_empty(pool);
                return;
        }
        if (pool->count == 0)
                top_up(pool);
        else if (!pool->later)
                pool->later = pool->used + MOMENT;
}

int64_t pool_deadline(const struct pool *pool) {
        if (pool->maker.socket < 0)
                return 0;
        if (pool->later)
                return pool->later;
        return pool->want > pool->least ? pool->missed + CALM : pool->used + IDLE;
}

void pool_due(struct pool *pool, int64_t now) {
        int64_t due = pool_deadline(pool);

        if (pool->mounts >= 0 && mounts_changed(pool)) { /* they would keep a file system busy that was unmounted */
                pool_empty(pool);
                return;
        }
        if (!due || now < due)
                return;
        if (pool->later) {
                top_up(pool);
                return;
        }
        if (pool->want == pool->least) {
                pool_empty(pool);
                return;
        }
        pool->want = pool->least;
        collect(pool);
        while (pool->count > pool->want)
                warm_discard(&pool->ready[--pool->count]);
}
