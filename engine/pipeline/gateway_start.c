/*
 * The process of the network gateway: how it begins, and how it ends.
 */
#include "engine/pipeline/gateway_link.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/clone.h"
#include "launch/files.h"
#include "launch/kernel.h"

/* Before all that the gateway says. Only a process itself can name itself so that its number cannot have been given anew. */
static bool send_own_pidfd(int socket) {
        FD_AUTO self = kernel_pidfd_open(getpid());
        char byte = 0;
        struct iovec part = { &byte, 1 };

        return self >= 0 && fds_send(socket, &part, 1, &self, 1) == 0;
}

/*
 * It executes the program anew: it gets bytes from hostile programs, and must not have the memory of this process; and a copy
 * of one with threads could not allocate. The child of a child, because the end of what executes something would be reported to
 * a program that knows nothing of it.
 */
static _Noreturn void become_gateway(const char *program, int socket, int outside, int alive) {
        const char *const argv[] = { "bailey", LAUNCH_INSIDE_COMMAND, NULL }, *const envp[] = { NULL };
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        int from[] = { null, null, null, socket, outside, alive };
        struct err err = {};

        setsid(); /* what a terminal sends is not for it */
        if (null < 0 || files_arrange(from, sizeof(from) / sizeof(*from), false, &err) < 0)
                _exit(1);
        if (vfork() == 0) {            /* NOLINT(clang-analyzer-security.insecureAPI.vfork): as in launch/inside.c */
                if (send_own_pidfd(3)) /* NOLINT(clang-analyzer-unix.Vfork): system calls only, and the parent waits */
                        execve(program, (char *const *)argv, (char *const *)envp);
                _exit(1); /* NOLINT(clang-analyzer-unix.Vfork): the other end of the socket is closed with it */
        }
        _exit(0);
}

/* What send_own_pidfd() has sent, when the process that made it has ended. */
static int receive_pidfd(int socket) {
        int files[FDS_MAX];
        size_t count = 0;
        char byte;

        if (fds_receive(socket, &byte, 1, files, &count, MSG_DONTWAIT) == 1 && count == 1)
                return files[0];
        while (count)
                fd_close(files[--count]);
        return -1;
}

static int spawn(const char *program, int socket, int alive, int *ret_starter, struct err *err) {
        FD_AUTO outside = kernel_pidfd_open(getpid());
        pid_t pid;

        if (outside < 0)
                return err_sys(err, "network gateway: pidfd_open");
        pid = clone_process(0, -1, ret_starter);
        if (pid == 0)
                become_gateway(program, socket, outside, alive);
        return pid < 0 ? err_sys(err, "network gateway: fork") : 0;
}

int gateway_start(struct gateway_link *link, const char *program, struct err *err) {
        FD_AUTO mine = -1, its = -1, alive = -1, its_alive = -1;
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = link->epoll_data };
        int ends[2];

        if (!program)
                return err_set(err, ERR_UNSUPPORTED, "the network gateway requires the program bailey, which is not installed");
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
                return err_sys(err, "network gateway");
        mine = ends[0];
        its = ends[1];
        if (pipe2(ends, O_CLOEXEC) < 0)
                return err_sys(err, "network gateway");
        its_alive = ends[0];
        alive = ends[1];
        if (spawn(program, its, its_alive, &link->starter, err) < 0)
                return -1;
        link->socket = TAKE_FD(mine);
        link->alive = TAKE_FD(alive);
        if (link->epoll_fd < 0 || epoll_ctl(link->epoll_fd, EPOLL_CTL_ADD, link->socket, &event) == 0)
                return 0;
        err_sys(err, "network gateway: epoll");
        gateway_stop(link);
        return -1;
}

int gateway_started(struct gateway_link *link) {
        int status;

        if (link->starter < 0)
                return 0;
        clone_reap(link->starter, &status);
        fd_close(TAKE_FD(link->starter));
        link->process = receive_pidfd(link->socket);
        return link->process < 0 ? -1 : 0;
}

static void end_process(int pidfd) {
        if (pidfd >= 0)
                syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
        fd_close(pidfd);
}

void gateway_stop(struct gateway_link *link) {
        gateway_started(link);
        if (link->epoll_fd >= 0 && link->socket >= 0) /* before it is closed: as in run/job.c */
                epoll_ctl(link->epoll_fd, EPOLL_CTL_DEL, link->socket, NULL);
        fd_close(TAKE_FD(link->socket));
        end_process(TAKE_FD(link->process)); /* it may be stopped, or hang */
        fd_close(TAKE_FD(link->alive));
}
