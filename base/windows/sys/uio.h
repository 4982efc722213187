#ifndef BAILEY_BASE_WINDOWS_UIO_H
#define BAILEY_BASE_WINDOWS_UIO_H

struct iovec {
        void *iov_base;
        size_t iov_len;
};

/* One read, into the first of these that has room. */
ssize_t readv(int fd, const struct iovec *places, int count);

#endif
