#include <fcntl.h>

#include "base/fd.h"
#include "run/capture.h"

int capture_pipe(int ret_fds[2], struct err *err) {
        int fds[2], flags;

        if (fd_pipe(fds, err) < 0)
                return -1;
        /* An ordinary user may have only so many pages in pipes; with the usual 64 KiB it works as well, only slower. */
        (void)fcntl(fds[0], F_SETPIPE_SZ, CAPTURE_PIPE_SIZE);
        flags = fcntl(fds[0], F_GETFL);
        if (flags < 0 || fcntl(fds[0], F_SETFL, flags | O_NONBLOCK) < 0) {
                err_sys(err, "cannot make a pipe non-blocking");
                fd_close(fds[0]);
                fd_close(fds[1]);
                return -1;
        }
        ret_fds[0] = fds[0];
        ret_fds[1] = fds[1];
        return 0;
}
