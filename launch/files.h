/*
 * The files that a process starts with: exactly those given, from 0 on.
 */
#ifndef BAILEY_LAUNCH_FILES_H
#define BAILEY_LAUNCH_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/err.h"

/* Moves from[i] to i, for each i < count, and closes all others. Those past 2 are closed on exec, if so wished. */
int files_arrange(int *from, int count, bool close_on_exec, struct err *err);

/* Closes all from this one on, also where containers forbid close_range(). 0, or -1 and errno. */
int files_close_from(int first);

/*
 * Sends and receives records with open files over a socket between two related processes. Allocates nothing.
 */

enum { FDS_MAX = 200 }; /* the kernel takes 253 */

/* Does not wait. 0, or -1 and errno. */
int fds_send(int socket, const struct iovec *parts, size_t part_count, const int *files, size_t file_count);

/* Waits, unless `flags` is MSG_DONTWAIT. Returns the length, 0 at the end, -1 and errno; EBADMSG: it is too long, or has more
 * than FDS_MAX files, and then none is left open. They are closed on exec; `ret_count` says how many came. */
ssize_t fds_receive(int socket, void *bytes, size_t size, int ret_files[static FDS_MAX], size_t *ret_count, int flags);

#endif
