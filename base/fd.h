/*
 * File descriptors: owned by one variable at a time, closed with it, and not inherited by a child.
 */
#ifndef BAILEY_BASE_FD_H
#define BAILEY_BASE_FD_H

#include <signal.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* Leaves errno alone; does nothing for a negative fd. */
void fd_close(int fd);

static inline void fd_cleanup(int *fd) {
        fd_close(*fd);
}

/* An fd that is closed when the variable goes out of scope: FD_AUTO fd = -1; */
#define FD_AUTO __attribute__((cleanup(fd_cleanup))) int

static inline int fd_take(int *fd) {
        int taken = *fd;

        *fd = -1;
        return taken;
}

/* Hands the fd over: the variable no longer closes it. */
#define TAKE_FD(fd) fd_take(&(fd))

/* Both close-on-exec. [0] is the end to read from. */
int fd_pipe(int ret_fds[2], struct err *err);
int fd_dup(int fd, int *ret_fd, struct err *err);

/* Appends all there is up to the end of the file; more than the buffer's maximum is ERR_TOO_COMPLEX. On failure the
 * buffer holds what came before. Waits when the fd is non-blocking. */
int fd_read_all(int fd, struct buf *buf, struct err *err);

/* Writes everything. Waits when the fd is non-blocking: a parent may have made our stdout so. */
int fd_write_all(int fd, struct str s, struct err *err);

/* In between, a write of this thread to a pipe or socket that nobody reads any more fails with EPIPE, and that is all: no
 * signal comes of it. Whose program this is may have other ideas of SIGPIPE. */
struct fd_quiet {
        sigset_t before;
        bool pending; /* one is there already, from somewhere else */
};
void fd_quiet_begin(struct fd_quiet *quiet);
void fd_quiet_end(const struct fd_quiet *quiet);

#endif
