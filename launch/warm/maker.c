#include "launch/warm/maker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "home/home.h"
#include "launch/cgroup_shared.h"
#include "launch/clone.h"
#include "launch/files.h"
#include "launch/kernel.h"
#include "launch/tmp_holder.h"
#include "launch/warm/preload.h"

/* What goes back: a sandbox with its files, or why there is none, and if it had begun to be one, the first of them. */
struct made {
        pid_t pid;
        struct err err;
};

enum { PATIENCE_MS = 2000, ORPHAN_MS = 2000 };

enum { MAKER_ABANDONED = 1 }; /* its exit status: one is dead that nobody knows of */

enum made_file { MADE_PIDFD, MADE_CONTROL, MADE_REPORT, MADE_WORK, MADE_MOUNTS, MADE_COUNT };

/* ---- the maker ---- */

enum { MAKER_SOCKET = 3, MAKER_OUTSIDE, MAKER_TMP, MAKER_FILES };

/* Returns false when nobody needs any more. */
static bool wait_for_order(void) {
        struct pollfd fds[] = { { .fd = MAKER_SOCKET, .events = POLLIN | POLLRDHUP },
                                { .fd = MAKER_OUTSIDE, .events = POLLIN } };
        char byte;

        while (poll(fds, 2, -1) < 0)
                if (errno != EINTR)
                        return false;
        return !fds[1].revents && !(fds[0].revents & POLLRDHUP) && recv(MAKER_SOCKET, &byte, 1, 0) == 1;
}

/* Waits while its buffer is full: what was made has to go somewhere. */
static int hand_in(const struct made *made, const int *files, size_t count) {
        struct iovec part = { (struct made *)made, sizeof(*made) };
        struct pollfd fds[] = { { .fd = MAKER_SOCKET, .events = POLLOUT }, { .fd = MAKER_OUTSIDE, .events = POLLIN } };

        while (fds_send(MAKER_SOCKET, &part, 1, files, count) < 0) {
                if (errno != EAGAIN || (poll(fds, 2, -1) < 0 && errno != EINTR) || fds[1].revents)
                        return -1;
        }
        return 0;
}

/* It could not be handed in, so that whose child it is knows nothing of it: when this process has ended, it is there to be
 * reaped, and nobody has to wait for that. */
static _Noreturn void abandon(struct launched *launched) {
        struct pollfd fd = { .fd = launched->pidfd, .events = POLLIN };

        launch_kill(launched);
        if (launched->pidfd >= 0)
                poll(&fd, 1, PATIENCE_MS);
        _exit(MAKER_ABANDONED);
}

static bool make_one(const struct launch *launch, const struct mount_places *places, int preload) {
        struct warm warm = { .launched = { .pidfd = -1, .control = -1, .report_fd = -1 }, .work = -1, .mounts = -1 };
        struct made made = {};
        bool ready = launch_prepare(launch, places, MAKER_OUTSIDE, preload, &warm.launched, &warm.work, &made.err) == 0 &&
                     warm_ready(&warm, &made.err) == 0;
        const int files[MADE_COUNT] = {
                [MADE_PIDFD] = warm.launched.pidfd,
                [MADE_CONTROL] = warm.launched.control,
                [MADE_REPORT] = warm.launched.report_fd,
                [MADE_WORK] = warm.work,
                [MADE_MOUNTS] = warm.mounts,
        };

        made.pid = warm.launched.pid;
        if (hand_in(&made, files, ready ? MADE_COUNT : warm.launched.pidfd >= 0) < 0)
                abandon(&warm.launched);
        for (size_t i = 0; i < MADE_COUNT; i++)
                fd_close(files[i]);
        return ready;
}

/* Directories that ended sandboxes have left in the layer of a home. */
static void tidy(const struct launch *launch) {
        struct err ignored = {};

        for (size_t i = 0; i < launch->mount_count; i++)
                if (launch->mounts[i].kind == MOUNT_LAYERS)
                        (void)home_tidy(launch->mounts[i].source, &ignored);
}

/* What it makes is in the group that it is in itself. */
static _Noreturn void keep(const struct launch *launch, const struct mount_places *places, const struct cgroup *group,
                           int socket, int outside) {
        int from[MAKER_FILES] = { -1, -1, -1, socket, outside, launch->tmp ? launch->tmp->socket : -1 };
        const struct tmp_holder tmp = { .socket = MAKER_TMP, .pidfd = -1 };
        struct launch own = *launch;
        struct err err = {};
        int preload;

        if (group && cgroup_add(group, 0, &err) < 0)
                _exit(0);
        from[0] = from[1] = from[2] = open("/dev/null", O_RDWR | O_CLOEXEC);
        setsid(); /* what a terminal sends is not for it */
        if (files_arrange(from, own.tmp ? MAKER_FILES : MAKER_TMP, true, &err) < 0)
                _exit(0);
        if (own.tmp)
                own.tmp = &tmp;
        preload = preload_suits(launch) ? preload_open() : -1;
        while (wait_for_order() && make_one(&own, places, preload))
                tidy(&own);
        _exit(0);
}

/* ---- who has it ---- */

int maker_start(const struct launch *launch, const struct mount_places *places, struct maker *ret, struct err *err) {
        const struct launch_share *share = &launch->share;
        const struct cgroup *group = NULL;
        FD_AUTO outside = kernel_pidfd_open(getpid());
        int ends[2];
        bool ignored;
        pid_t pid;

        if (outside < 0)
                return err_sys(err, "pidfd_open");
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
                return err_sys(err, "cannot create the socket of the sandbox maker");
        if (share->group)
                group = cgroup_shared_get(share->group, share->memory_percent, share->pids, &ignored);
        pid = clone_process(0, -1, &ret->pidfd);
        if (pid == 0)
                keep(launch, places, group, ends[1], outside);
        fd_close(ends[1]);
        if (pid < 0) {
                err_sys(err, "fork");
                fd_close(ends[0]);
                return -1;
        }
        ret->pid = pid;
        ret->socket = ends[0];
        return 0;
}

int maker_ask(const struct maker *maker) {
        return send(maker->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : -1;
}

static struct warm warm_of(const struct made *made, const int files[static MADE_COUNT]) {
        return (struct warm){
                .launched = { .pid = made->pid,
                              .own_pids = true,
                              .tells_end = true,
                              .pidfd = files[MADE_PIDFD],
                              .control = files[MADE_CONTROL],
                              .report_fd = files[MADE_REPORT],
                              .complaints = -1,
                              .group = { .dir_fd = -1 } },
                .work = files[MADE_WORK],
                .mounts = files[MADE_MOUNTS],
        };
}

/* There is no room for its files in this process, and so no pidfd either. Its number is still its own, unless the program has
 * waited for it: then it is no member of the group. */
static void reap_lost(pid_t group, pid_t pid) {
        siginfo_t info;

        if (pid > 0 && getpgid(pid) == group && kill(pid, SIGKILL) == 0)
                while (waitid(P_PID, (id_t)pid, &info, WEXITED | __WALL) < 0 && errno == EINTR)
                        ;
}

static int take(const struct maker *maker, int flags, struct warm *ret, struct err *err) {
        int files[FDS_MAX], status;
        struct made made = {};
        size_t count;
        ssize_t len = fds_receive(maker->socket, &made, sizeof(made), files, &count, flags);

        if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
                return 0;
        if (len == sizeof(made) && count == MADE_COUNT) {
                *ret = warm_of(&made, files);
                return 1;
        }
        if (len < 0 && errno == EBADMSG) {
                err_sys(err, "files of a sandbox");
                reap_lost(maker->pid, made.pid);
                return -1;
        }
        if (len == sizeof(made))
                *err = made.err;
        else
                err_set(err, ERR_SYSTEM, "the sandbox maker process has ended");
        if (count) /* it is a child of this process */
                clone_reap(files[MADE_PIDFD], &status);
        for (size_t i = 0; i < count; i++)
                fd_close(files[i]);
        return -1;
}

int maker_take(const struct maker *maker, struct warm *ret, struct err *err) {
        return take(maker, MSG_DONTWAIT, ret, err);
}

/* Until it says something, or ends. Somebody may have stopped it, or a file system may not answer: then it is killed, and what
 * it is at with it. False: the kernel does not let it go. */
static bool wait_for(const struct maker *maker) {
        struct pollfd fd = { .fd = maker->socket, .events = POLLIN };

        if (poll(&fd, 1, PATIENCE_MS) > 0)
                return true;
        syscall(SYS_pidfd_send_signal, maker->pidfd, SIGKILL, NULL, 0);
        return poll(&fd, 1, PATIENCE_MS) > 0;
}

/* Nobody knows of one that it was making when it was killed. It ends by itself, and is of the maker's process group. So are
 * those that are in use, but with these it does not matter who has waited for them: that they end is told in other ways. */
static void reap_others(pid_t group, int patience_ms) {
        siginfo_t info = {};

        while (waitid(P_PGID, (id_t)group, &info, WEXITED | WNOHANG | __WALL) == 0) {
                if (info.si_pid == 0 && patience_ms-- <= 0)
                        return;
                if (info.si_pid == 0)
                        poll(NULL, 0, 1);
                info = (siginfo_t){};
        }
}

void maker_end(struct maker *maker) {
        struct warm warm;
        bool more = true;
        int status;

        shutdown(maker->socket, SHUT_WR); /* what it is at, it hands in */
        while (more && wait_for(maker)) {
                struct err err = {};
                int got = take(maker, MSG_DONTWAIT, &warm, &err);

                if (got == 1)
                        warm_discard(&warm);
                more = got >= 0 || err.sys == EBADMSG;
        }
        fd_close(TAKE_FD(maker->socket));
        if (!more && clone_reap(maker->pidfd, &status) == 0 && status != 0)
                reap_others(maker->pid, WIFEXITED(status) ? 0 : ORPHAN_MS);
        fd_close(TAKE_FD(maker->pidfd));
}
