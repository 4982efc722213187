#include "run/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"

enum { TERMINAL_CHUNK = 4 << 10 }; /* a terminal that can take some may not take more without waiting */

bool relay_needless(int fd) {
        struct stat st;

        if (fstat(fd, &st) < 0)
                return false;
        return S_ISFIFO(st.st_mode) || (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3));
}

bool relay_same(int a, int b) {
        struct stat x, y;

        return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int relay_open(struct relay *relay, int to, int *ret_end, struct err *err) {
        int ends[2];

        if (fcntl(to, F_GETFD) < 0)
                return err_sys(err, "output");
        if (fd_pipe(ends, err) < 0)
                return -1;
        if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) {
                fd_close(ends[0]);
                fd_close(ends[1]);
                return err_sys(err, "output");
        }
        relay->from = ends[0];
        relay->to = to;
        relay->start = relay->end = 0;
        *ret_end = ends[1];
        return 0;
}

void relay_close(struct relay *relay) {
        fd_close(TAKE_FD(relay->from));
}

struct pollfd relay_poll(const struct relay *relay) {
        if (relay->from < 0 || relay->start < relay->end)
                return (struct pollfd){ .fd = relay->from < 0 ? -1 : relay->to, .events = POLLOUT };
        return (struct pollfd){ .fd = relay->from, .events = POLLIN };
}

static void take(struct relay *relay) {
        ssize_t got = read(relay->from, relay->data, sizeof(relay->data));

        if (got > 0) {
                relay->start = 0;
                relay->end = (size_t)got;
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
                relay_close(relay);
        }
}

static void give(struct relay *relay) {
        size_t left = relay->end - relay->start;
        struct fd_quiet quiet;
        ssize_t put;

        fd_quiet_begin(&quiet);
        put = write(relay->to, relay->data + relay->start, left < TERMINAL_CHUNK ? left : TERMINAL_CHUNK);
        fd_quiet_end(&quiet);
        if (put >= 0)
                relay->start += (size_t)put;
        else if (errno != EAGAIN && errno != EINTR)
                relay_close(relay);
}

void relay_step(struct relay *relay, const struct pollfd *polled) {
        if (relay->from < 0 || !polled->revents)
                return;
        if (polled->events == POLLOUT)
                give(relay);
        else
                take(relay);
}

void relay_drain(struct relay *relay, int64_t deadline) {
        while (relay->from >= 0) {
                struct pollfd polled = relay_poll(relay);
                int64_t left = deadline - time_monotonic();
                int ready = left > 0 ? poll(&polled, 1, (int)(left / 1000000) + 1) : 0;

                if (ready == 0)
                        break;
                relay_step(relay, &polled);
        }
        relay_close(relay);
}
