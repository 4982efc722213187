#include <windows.h>

#include "base/fd.h"
#include "base/windows/wide.h"

enum { READ_SIZE = 16 << 10, WRITE_MAX = 32 << 10, PIPE_SIZE = 256 << 10 };

void fd_close(int fd) {
        int saved = errno;

        if (fd >= 0)
                close(fd);
        errno = saved;
}

int fd_pipe(int ret_fds[2], struct err *err) {
        return _pipe(ret_fds, PIPE_SIZE, O_BINARY | O_NOINHERIT) < 0 ? err_sys(err, "pipe") : 0;
}

int fd_dup(int fd, int *ret_fd, struct err *err) {
        int copy = _dup(fd);

        if (copy < 0)
                return err_sys(err, "duplicate descriptor %d", fd);
        SetHandleInformation((HANDLE)_get_osfhandle(copy), HANDLE_FLAG_INHERIT, 0);
        *ret_fd = copy;
        return 0;
}

int fd_read_all(int fd, struct buf *buf, struct err *err) {
        char chunk[READ_SIZE];

        for (;;) {
                int got = read(fd, chunk, sizeof(chunk));

                if (got == 0)
                        return 0;
                if (got < 0)
                        return err_sys(err, "read");
                if ((size_t)got > buf->max - buf->len)
                        return err_set(err, ERR_TOO_COMPLEX, "more than %zu bytes", buf->max);
                buf_append(buf, str_from(chunk, (size_t)got));
                if (buf->failed)
                        return err_memory(err);
        }
}

int fd_write_all(int fd, struct str s, struct err *err) {
        while (s.len > 0) {
                int put = write(fd, s.ptr, (unsigned)(s.len < WRITE_MAX ? s.len : WRITE_MAX)); /* a console takes no more */

                if (put < 0)
                        return err_sys(err, "write");
                s = str_skip(s, (size_t)put);
        }
        return 0;
}

/* There is no such signal. */
void fd_quiet_begin(struct fd_quiet *quiet) {
        *quiet = (struct fd_quiet){ 0 };
}

void fd_quiet_end(const struct fd_quiet *quiet) {
        (void)quiet;
}
