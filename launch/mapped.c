#include "launch/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/fd.h"
#include "launch/kernel.h"

/* The host's kernel or a file system has none; they are mapped already; a mount may not be copied; or we are root only in a
 * container. */
static bool is_unsupported(int why) {
        return why == EINVAL || why == EPERM || why == EOPNOTSUPP || why == ENOSYS;
}

int mapped_failed(const char *what, struct err *err) {
        bool unsupported = is_unsupported(errno);

        err_sys(err, "%s", what);
        if (unsupported)
                err->code = ERR_NO_IDENTITY;
        return unsupported ? err_context(err, "commands are root outside the sandbox") : -1;
}

/* Private: mounts in the sandbox must not propagate to the host. */
static int restrict_copy(int copy, const struct mapped_copy *how) {
        struct mount_attr attributes = {
                .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (how->read_only ? MOUNT_ATTR_RDONLY : 0) |
                            (how->userns >= 0 ? MOUNT_ATTR_IDMAP : 0),
                .propagation = MS_PRIVATE,
                .userns_fd = how->userns >= 0 ? (uint64_t)how->userns : 0,
        };

        return mount_setattr(copy, "", AT_EMPTY_PATH | (how->alone ? 0 : AT_RECURSIVE), &attributes, sizeof(attributes));
}

int mapped_copy(int place, const char *path, const struct mapped_copy *how, struct err *err) {
        FD_AUTO copy = open_tree(
                place, "", (unsigned)(OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | (how->alone ? 0 : AT_RECURSIVE)));

        char what[PATH_MAX + 64];

        if (copy >= 0 && restrict_copy(copy, how) == 0)
                return TAKE_FD(copy);
        if (how->userns < 0)
                return err_sys(err, "restricting %s", path);
        snprintf(what, sizeof(what), "the owners of files in %.*s cannot be mapped", PATH_MAX, path);
        return mapped_failed(what, err);
}

int mapped_userns(pid_t pid, struct err *err) {
        char path[64];
        int fd;

        snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        return fd < 0 ? err_sys(err, "%s", path) : fd;
}

/* ---- passing them ---- */

static int flush(struct mapped_sender *sender, struct err *err) {
        struct iovec part = { &sender->message, sizeof(sender->message) };
        int sent = fds_send(sender->socket, &part, 1, sender->files, sender->message.count);
        int why = errno;

        for (unsigned i = 0; i < sender->message.count; i++)
                fd_close(sender->files[i]);
        sender->message.count = 0;
        errno = why;
        return sent == 0 || why == EPIPE || why == ECONNRESET ? 0 : err_sys(err, "passing mounts to the sandbox");
}

int mapped_send(struct mapped_sender *sender, int number, int file, struct err *err) {
        sender->message.numbers[sender->message.count] = number;
        sender->files[sender->message.count++] = file;
        return sender->message.count == FDS_MAX ? flush(sender, err) : 0;
}

void mapped_cancel(struct mapped_sender *sender) {
        for (unsigned i = 0; i < sender->message.count; i++)
                fd_close(sender->files[i]);
        sender->message.count = 0;
}

int mapped_end(struct mapped_sender *sender, struct err *err) {
        return sender->message.count && flush(sender, err) < 0 ? -1 : flush(sender, err);
}

static void drop(const int *files, size_t count) {
        for (size_t i = 0; i < count; i++)
                fd_close(files[i]);
}

/* The end of the socket may be noticed late: another process may have a copy of the other end for a moment. */
static int await(const struct mapped_channel *channel, struct err *err) {
        struct pollfd fds[] = { { .fd = channel->socket, .events = POLLIN }, { .fd = channel->outside, .events = POLLIN } };

        while (poll(fds, 2, -1) < 0)
                if (errno != EINTR)
                        return err_sys(err, "receiving mounts");
        return fds[0].revents ? 0 : err_set(err, ERR_SYSTEM, "receiving mounts: bailey has ended");
}

int mapped_receive(const struct mapped_channel *channel, int *ret_files, size_t count, struct err *err) {
        while (await(channel, err) == 0) {
                struct mapped_message message = {};
                int files[FDS_MAX];
                size_t came;
                ssize_t len = fds_receive(channel->socket, &message, sizeof(message), files, &came, 0);

                if (len != (ssize_t)sizeof(message) || came != message.count) {
                        drop(files, len > 0 ? came : 0);
                        return err_sys(err, "receiving mounts");
                }
                if (came == 0)
                        return 0;
                for (size_t i = 0; i < came; i++) {
                        if (message.numbers[i] < 0 || (size_t)message.numbers[i] >= count) {
                                drop(files + i, came - i);
                                return err_set(err, ERR_INVALID, "mount %d is not one of the plan", message.numbers[i]);
                        }
                        ret_files[message.numbers[i]] = files[i];
                }
        }
        return -1;
}
