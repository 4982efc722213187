#include "launch/fd_passing.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/fd.h"

union files_space {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int) * FDS_MAX)];
};

int fds_send(int socket, const struct iovec *parts, size_t part_count, const int *files, size_t file_count) {
        union files_space space = {};
        struct msghdr message = {
                .msg_iov = (struct iovec *)parts,
                .msg_iovlen = part_count,
                .msg_control = file_count ? &space : NULL,
                .msg_controllen = file_count ? CMSG_SPACE(sizeof(int) * file_count) : 0,
        };

        if (file_count) {
                space.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
                                               .cmsg_type = SCM_RIGHTS,
                                               .cmsg_len = CMSG_LEN(sizeof(int) * file_count) };
                memcpy(CMSG_DATA(&space.head), files, sizeof(int) * file_count);
        }
        return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -1 : 0;
}

ssize_t fds_receive(int socket, void *bytes, size_t size, int ret_files[static FDS_MAX], size_t *ret_count, int flags) {
        union files_space space = {};
        struct iovec part = { bytes, size };
        struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &space, .msg_controllen = sizeof(space) };
        size_t came = 0;
        ssize_t len;

        *ret_count = 0;
        do /* who ends with something unread resets the connection, but what it has sent comes still */
                len = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
        while (len < 0 && (errno == EINTR || errno == ECONNRESET));
        if (len <= 0)
                return len;
        if (message.msg_controllen >= sizeof(space.head) && space.head.cmsg_type == SCM_RIGHTS) {
                came = (space.head.cmsg_len - CMSG_LEN(0)) / sizeof(int);
                memcpy(ret_files, CMSG_DATA(&space.head), came * sizeof(int));
        }
        if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
                for (size_t i = 0; i < came; i++)
                        fd_close(ret_files[i]);
                errno = EBADMSG;
                return -1;
        }
        *ret_count = came;
        return len;
}
