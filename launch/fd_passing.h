/*
 * Sends and receives records with open files over a socket between two related processes. Allocates nothing.
 */
#ifndef BAILEY_LAUNCH_FD_PASSING_H
#define BAILEY_LAUNCH_FD_PASSING_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

enum { FDS_MAX = 200 }; /* the kernel takes 253 */

/* Does not wait. 0, or -1 and errno. */
int fds_send(int socket, const struct iovec *parts, size_t part_count, const int *files, size_t file_count);

/* Waits, unless `flags` is MSG_DONTWAIT. Returns the length, 0 at the end, -1 and errno; EBADMSG: it is too long, or has more
 * than FDS_MAX files, and then none is left open. They are closed on exec; `ret_count` says how many came. */
ssize_t fds_receive(int socket, void *bytes, size_t size, int ret_files[static FDS_MAX], size_t *ret_count, int flags);

#endif
