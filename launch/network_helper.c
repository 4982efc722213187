#include "launch/network.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/clone.h"
#include "launch/egress.h"
#include "launch/files.h"

/* ---- outside ---- */

static bool is_own(int namespace) {
        struct stat own, other;

        return stat("/proc/self/ns/net", &own) < 0 || fstat(namespace, &other) < 0 ||
               (own.st_dev == other.st_dev && own.st_ino == other.st_ino);
}

/* As the owner of the user namespace that the network belongs to; never in the network of the host. */
static int enter(int namespace, struct err *err) {
        FD_AUTO owner = ioctl(namespace, NS_GET_USERNS);

        if (is_own(namespace))
                return err_set(err, ERR_INVALID, "the sandbox has no network of its own");
        if (owner < 0 || setns(owner, CLONE_NEWUSER) < 0 || setns(namespace, CLONE_NEWNET) < 0)
                return err_sys(err, "entering the network of the sandbox");
        return 0;
}

/* Without hosts, the address is of use, but nothing depends on it. */
static int set_up(int namespace, int control, const struct launch_egress *egress, struct err *err) {
        struct err ignored = {};

        if (!egress->wanted && !egress->host_port_count) {
                if (enter(namespace, &ignored) == 0)
                        (void)network_add_address(&ignored);
                return 0;
        }
        if (enter(namespace, err) < 0 || network_add_address(err) < 0)
                return -1;
        return egress_set_up(egress, control, err);
}

static _Noreturn void help(int socket, int namespace, int control, const struct launch_egress *egress) {
        struct err err = {};
        struct iovec part = { &err, sizeof(err) };

        set_up(namespace, control, egress, &err);
        _exit(fds_send(socket, &part, 1, NULL, 0) < 0);
}

/* In another process, which ends: this one stays outside. */
void network_helper_serve(int socket, int control, const struct launch_egress *egress) {
        int files[FDS_MAX], pidfd, status;
        size_t count;
        char byte;
        pid_t pid;

        if (fds_receive(socket, &byte, 1, files, &count, 0) != 1)
                return;
        pid = count == 1 ? clone_process(0, -1, &pidfd) : -1;
        if (pid == 0)
                help(socket, files[0], control, egress);
        if (pid > 0) {
                clone_reap(pidfd, &status);
                fd_close(pidfd);
        }
        for (size_t i = 0; i < count; i++)
                fd_close(files[i]);
}

/* ---- inside ---- */

int network_helper_ask(int socket, struct err *err) {
        FD_AUTO namespace = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
        char zero = 0;
        struct iovec part = { &zero, 1 };
        struct err answer;
        int files[FDS_MAX];
        size_t count;

        if (namespace < 0 || fds_send(socket, &part, 1, &namespace, 1) < 0)
                return err_sys(err, "network of the sandbox");
        if (fds_receive(socket, &answer, sizeof(answer), files, &count, 0) != (ssize_t)sizeof(answer))
                return err_set(err, ERR_SYSTEM, "network of the sandbox: nobody has set it up");
        if (answer.code == 0)
                return 0;
        *err = answer;
        return -1;
}
