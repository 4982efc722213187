#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { READ_SIZE = 16 << 10 };

void fd_close(int fd) {
        int saved = errno;

        if (fd >= 0)
                close(fd); /* not again after EINTR: Linux has closed it, and another thread may have the number by now */
        errno = saved;
}

int fd_pipe(int ret_fds[2], struct err *err) {
        return pipe2(ret_fds, O_CLOEXEC) < 0 ? err_sys(err, "pipe") : 0;
}

int fd_dup(int fd, int *ret_fd, struct err *err) {
        int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3); /* not a standard one, even if that is closed */

        if (copy < 0)
                return err_sys(err, "duplicate descriptor %d", fd);
        *ret_fd = copy;
        return 0;
}

/* After a failed read or write: true when it is worth trying again, after waiting where needed. */
static bool try_again(int fd, short events) {
        struct pollfd wait = { .fd = fd, .events = events };

        if (errno == EINTR)
                return true;
        if (errno != EAGAIN && errno != EWOULDBLOCK)
                return false;
        return poll(&wait, 1, -1) >= 0 || errno == EINTR;
}

int fd_read_all(int fd, struct buf *buf, struct err *err) {
        char chunk[READ_SIZE];

        for (;;) {
                ssize_t got = read(fd, chunk, sizeof(chunk));

                if (got == 0)
                        return 0;
                if (got < 0) {
                        if (try_again(fd, POLLIN))
                                continue;
                        return err_sys(err, "read");
                }
                if ((size_t)got > buf->max - buf->len)
                        return err_set(err, ERR_TOO_COMPLEX, "more than %zu bytes", buf->max);
                buf_append(buf, str_from(chunk, (size_t)got));
                if (buf->failed)
                        return err_memory(err);
        }
}

int fd_write_all(int fd, struct str s, struct err *err) {
        while (s.len > 0) {
                ssize_t put = write(fd, s.ptr, s.len);

                if (put >= 0)
                        s = str_skip(s, (size_t)put);
                else if (!try_again(fd, POLLOUT))
                        return err_sys(err, "write");
        }
        return 0;
}

static bool pipe_signal_pending(void) {
        sigset_t set;

        return sigpending(&set) == 0 && sigismember(&set, SIGPIPE) == 1;
}

void fd_quiet_begin(struct fd_quiet *quiet) {
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGPIPE);
        quiet->pending = pipe_signal_pending();
        pthread_sigmask(SIG_BLOCK, &set, &quiet->before);
}

/* The signal is one of the thread that wrote, so it can be taken back. */
void fd_quiet_end(const struct fd_quiet *quiet) {
        const struct timespec at_once = { 0 };
        int saved = errno;
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGPIPE);
        if (!quiet->pending && pipe_signal_pending())
                sigtimedwait(&set, NULL, &at_once);
        pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
        errno = saved;
}
