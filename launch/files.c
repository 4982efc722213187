#include "launch/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/kernel.h"

/* For containers that forbid close_range(), which is younger than they are. */
static int close_one_by_one(int first) {
        FD_AUTO list = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        _Alignas(struct kernel_dirent) char entries[KERNEL_DIRENTS_SIZE];
        long got = -1;

        while (list >= 0 && (got = kernel_getdents(list, entries)) > 0)
                for (long at = 0; at < got;) {
                        const struct kernel_dirent *entry = (const void *)(entries + at);
                        int fd = (int)strtol(entry->name, NULL, 10); /* 0: no number */

                        if (fd >= first && fd != list)
                                close(fd);
                        at += entry->size;
                }
        return got < 0 ? -1 : 0;
}

int files_close_from(int first) {
        if (close_range((unsigned int)first, ~0U, 0) == 0)
                return 0;
        return errno == ENOSYS || errno == EPERM ? close_one_by_one(first) : -1;
}

int files_arrange(int *from, int count, bool close_on_exec, struct err *err) {
        /* Out of the way first, as one may stand where another has to go. */
        for (int i = 0; i < count; i++)
                if ((from[i] = fcntl(from[i], F_DUPFD, count)) < 0)
                        return err_sys(err, "files of the command");
        for (int i = 0; i < count; i++)
                if (dup3(from[i], i, i > 2 && close_on_exec ? O_CLOEXEC : 0) < 0)
                        return err_sys(err, "files of the command");
        return files_close_from(count) < 0 ? err_sys(err, "closing files") : 0;
}

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
