#ifndef BAILEY_BASE_WINDOWS_POLL_H
#define BAILEY_BASE_WINDOWS_POLL_H

enum { POLLIN = 1, POLLOUT = 4, POLLERR = 8, POLLHUP = 16 };

struct pollfd {
        int fd;
        short events, revents;
};

/* Only sleeps. */
int poll(struct pollfd *fds, unsigned long count, int timeout);

#endif
