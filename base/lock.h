/*
 * Locks of files that other processes have, too, and that do not wait without end: the process that holds one may be stopped.
 */
#ifndef BAILEY_BASE_LOCK_H
#define BAILEY_BASE_LOCK_H

#include <stdint.h>
#include <sys/file.h>

/* flock() with LOCK_SH or LOCK_EX, until that moment (monotonic); then -1 with EWOULDBLOCK. Tries once in any case. */
int lock_take(int fd, int how, int64_t until);

#endif
