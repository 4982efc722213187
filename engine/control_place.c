#include "engine/control_place.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/process.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif

enum { ANCESTORS_MAX = 64 };

/* ---- where ---- */

static int check_private(int fd, const char *path, struct err *err) {
        struct stat st;

        if (fstat(fd, &st) < 0)
                return err_sys(err, "%s", path);
        if (st.st_uid != geteuid())
                return err_set(err, ERR_REFUSED, "%s belongs to user %u, not to you (user %u)", path, (unsigned)st.st_uid,
                               (unsigned)geteuid());
        if (st.st_mode & 077)
                return err_set(err, ERR_REFUSED, "%s is accessible to others (mode %03o): run chmod 700 on it", path,
                               (unsigned)st.st_mode & 0777);
        return 0;
}

int control_open_place(const char *const *environment, bool make, struct control_place *ret, struct err *err) {
        struct directory directory;
        FD_AUTO fd = -1;

        if (!directory_runtime(environment, &directory))
                return err_set(err, ERR_INVALID, "neither XDG_RUNTIME_DIR nor HOME is an absolute path");
        if (make ? directory_make(directory.path, &fd, err) < 0 : directory_open(directory.path, &fd, err) < 0)
                return -1;
        if (fd < 0)
                return err_set(err, ERR_NOT_FOUND, "no session is running");
        if (check_private(fd, directory.path, err) < 0)
                return -1;
        ret->directory = directory;
        ret->fd = TAKE_FD(fd);
        return 0;
}

/* By its path, as that is what other sandboxes find in /proc/net/unix and mask; by the open directory where it is too long. */
void control_address(const struct control_place *place, const char *name, struct sockaddr_un *ret) {
        *ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
        if ((size_t)snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/%s", place->directory.path, name) >=
            sizeof(ret->sun_path))
                snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", place->fd, name);
}

/* ---- who ---- */

static bool same_file(const char *path, const char *other) {
        struct stat a, b;

        return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* A container that was created by a daemon is not a descendant, and may be in this user namespace, but it has its own pid
 * namespace. */
static bool same_namespaces(pid_t pid) {
        char user[64], pids[64];

        snprintf(user, sizeof(user), "/proc/%d/ns/user", pid);
        snprintf(pids, sizeof(pids), "/proc/%d/ns/pid", pid);
        return same_file(user, "/proc/self/ns/user") && same_file(pids, "/proc/self/ns/pid");
}

/* What this process has started is a command, or belongs to one. In a container, this process may be number 1. */
static bool is_descendant(pid_t pid) {
        for (int i = 0; i < ANCESTORS_MAX && pid > 0; i++) {
                if (pid == getpid())
                        return true;
                if (pid == 1)
                        return false;
                pid = process_parent(pid);
        }
        return pid != 0; /* 0: from outside of this container; else it cannot be known, and counts as one */
}

/* A process that has ended may have left its number to another. Older kernels do not tell. */
static bool is_alive(int fd) {
        struct pollfd process = { .fd = -1, .events = POLLIN };
        socklen_t size = sizeof(process.fd);
        bool alive;

        if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &process.fd, &size) < 0)
                return errno == ENOPROTOOPT;
        alive = poll(&process, 1, 0) == 0;
        fd_close(process.fd);
        return alive;
}

/* Only the user can enter the directory, and commands do not see it. This is a second check, in case one does. */
bool control_welcomes(int fd) {
        struct ucred peer;
        socklen_t size = sizeof(peer);

        return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0 && peer.uid == geteuid() &&
               same_namespaces(peer.pid) && !is_descendant(peer.pid) && is_alive(fd);
}
