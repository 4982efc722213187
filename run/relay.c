#include "run/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"

bool relay_discards(int fd) {
        struct stat st;

        return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
}

bool relay_needless(int fd) {
        struct statfs fs;
        struct stat st;

        if (fstat(fd, &st) < 0 || fstatfs(fd, &fs) < 0)
                return false;
        return (S_ISFIFO(st.st_mode) && fs.f_type == PIPEFS_MAGIC) || relay_discards(fd);
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
        *relay = (struct relay){ .from = ends[0], .to = to, .unread = -1 };
        *ret_end = ends[1];
        return 0;
}

static bool is_file(int fd) {
        struct stat st;

        return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

int relay_open_input(struct relay *relay, int from, int *ret_end, struct err *err) {
        FD_AUTO own = -1, unread = -1, in = -1, out = -1;
        int ends[2];

        if (fd_dup(from, &own, err) < 0 || fd_pipe(ends, err) < 0)
                return -1;
        in = ends[0];
        out = ends[1];
        if (is_file(from) && fd_dup(in, &unread, err) < 0)
                return -1;
        /* The command could fill it itself, in the moment before we write. */
        if (fcntl(out, F_SETFL, O_NONBLOCK) < 0)
                return err_sys(err, "input");
        *relay = (struct relay){ .from = TAKE_FD(own), .to = TAKE_FD(out), .input = true, .unread = TAKE_FD(unread) };
        *ret_end = TAKE_FD(in);
        return 0;
}

/* What was read of a file, and not by the command; of all else it cannot be given back. */
static void give_back(struct relay *relay) {
        int left;

        if (relay->unread >= 0 && ioctl(relay->unread, FIONREAD, &left) == 0)
                (void)lseek(relay->from, -(off_t)(relay->end - relay->start) - left, SEEK_CUR);
        fd_close(TAKE_FD(relay->unread));
}

void relay_close(struct relay *relay) {
        if (relay->input && relay->from >= 0) {
                fd_close(TAKE_FD(relay->to));
                give_back(relay);
        }
        fd_close(TAKE_FD(relay->from));
}

struct pollfd relay_poll(const struct relay *relay) {
        if (relay->from < 0 || relay->to < 0)
                return (struct pollfd){ .fd = -1 };
        if (relay->start < relay->end)
                return (struct pollfd){ .fd = relay->to, .events = POLLOUT };
        return (struct pollfd){ .fd = relay->from, .events = POLLIN };
}

/* Somebody else may have read meanwhile what was to be read of the input: that must not be waited for. */
static ssize_t read_some(struct relay *relay) {
        struct iovec into = { relay->data, sizeof(relay->data) };
        ssize_t got;

        if (!relay->input || relay->unread >= 0)
                return read(relay->from, relay->data, sizeof(relay->data));
        got = preadv2(relay->from, &into, 1, -1, RWF_NOWAIT);
        return got < 0 && errno == EOPNOTSUPP ? read(relay->from, relay->data, sizeof(relay->data)) : got;
}

static void take(struct relay *relay) {
        ssize_t got = read_some(relay);

        if (got > 0) {
                relay->start = 0;
                relay->end = relay->quota ? output_quota_take(relay->quota, (size_t)got) : (size_t)got;
                if (relay->seen)
                        stream_add(relay->seen, str_from(relay->data, (size_t)got));
        } else if (got == 0 && relay->input) {
                fd_close(TAKE_FD(relay->to));
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
                relay_close(relay);
        }
}

static void give(struct relay *relay) {
        size_t left = relay->end - relay->start;
        struct fd_quiet quiet;
        ssize_t put;

        fd_quiet_begin(&quiet);
        put = write(relay->to, relay->data + relay->start, left < RELAY_TERMINAL_CHUNK ? left : RELAY_TERMINAL_CHUNK);
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
