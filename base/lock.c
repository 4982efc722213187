#include "base/lock.h"

#include <errno.h>
#include <time.h>

#include "base/time.h"

#define PAUSE_FIRST INT64_C(50000)
#define PAUSE_MAX INT64_C(1000000)

/* A lock is held for less than a millisecond, so a process that tries this often soon gets it. */
int lock_take(int fd, int how, int64_t until) {
        int64_t pause = PAUSE_FIRST;

        while (flock(fd, how | LOCK_NB) < 0) {
                if (errno != EWOULDBLOCK && errno != EINTR)
                        return -1;
                if (time_monotonic() >= until) {
                        errno = EWOULDBLOCK;
                        return -1;
                }
                nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
                pause = pause < PAUSE_MAX ? pause * 2 : PAUSE_MAX;
        }
        return 0;
}
