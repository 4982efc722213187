#include "launch/tmp_holder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "launch/clone.h"
#include "launch/files.h"
#include "launch/identity.h"
#include "launch/kernel.h"
#include "launch/mapped.h"
#include "launch/mount.h"

enum { PATIENCE_MS = 10000 }; /* it may be stopped */

#define SUBJECT "what the commands of the session share"

/* ---- the process ---- */

enum { HOLDER_SOCKET = 3, HOLDER_OUTSIDE, HOLDER_FILES, HOLDER_LOCK = HOLDER_FILES };

/* Nothing else stays open, and nothing needs a free descriptor: the process that it is a copy of may have none left. */
static int arrange(int socket, int outside) {
        int null;

        if (outside == HOLDER_SOCKET && (outside = dup(outside)) < 0)
                return -1;
        if ((socket != HOLDER_SOCKET && dup2(socket, HOLDER_SOCKET) < 0) ||
            (outside != HOLDER_OUTSIDE && dup2(outside, HOLDER_OUTSIDE) < 0) || files_close_from(HOLDER_FILES) < 0)
                return -1;
        null = open("/dev/null", O_RDWR | O_CLOEXEC);
        for (int i = 0; i < HOLDER_SOCKET; i++)
                if (null < 0 || (null != i && dup2(null, i) < 0))
                        return -1;
        if (null > HOLDER_OUTSIDE)
                fd_close(null);
        return 0;
}

/* With a lock, of which it has a copy that its starter may close. */
static int arrange_all(const struct tmp_content *content, int socket, int outside) {
        int files[] = { -1, -1, -1, socket, outside, content->lock };
        int null = content->lock < 0 ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);
        struct err ignored;

        if (content->lock < 0)
                return arrange(socket, outside);
        files[0] = files[1] = files[2] = null;
        return null < 0 ? -1 : files_arrange(files, HOLDER_LOCK + 1, true, &ignored);
}

/* Returns false when it is no longer needed. */
static bool wait_for_request(void) {
        struct pollfd fds[] = { { .fd = HOLDER_SOCKET, .events = POLLIN }, { .fd = HOLDER_OUTSIDE, .events = POLLIN } };

        while (poll(fds, 2, -1) < 0)
                if (errno != EINTR)
                        return false;
        return !fds[1].revents;
}

/* A mount that is nowhere yet, and the lock; or why there is none. */
static void answer(int to, int tmp, bool locked, const struct err *failure) {
        FD_AUTO mount = tmp < 0 ? -1 : open_tree(tmp, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
        const int files[] = { mount, HOLDER_LOCK };
        struct err err = *failure;
        struct iovec part = { &err, sizeof(err) };

        if (tmp >= 0 && mount < 0)
                err_sys(&err, SUBJECT);
        (void)fds_send(to, &part, 1, files,
                       mount < 0 ? 0
                       : locked  ? 2
                                 : 1); /* if it cannot be sent, the sandbox sees the socket close */
}

static bool serve(int tmp, bool locked, const struct err *failure) {
        int files[FDS_MAX];
        size_t count;
        ssize_t len;
        char byte;

        if (!wait_for_request())
                return false;
        len = fds_receive(HOLDER_SOCKET, &byte, 1, files, &count, 0);
        if (len <= 0)
                return len < 0 && errno == EBADMSG; /* there was no room for the descriptor: only this one gets no answer */
        for (size_t i = 0; i < count; i++) {
                answer(files[i], tmp, locked, failure);
                fd_close(files[i]);
        }
        return tmp >= 0; /* or the next command starts another one, which may have more luck */
}

static int make(const struct tmp_content *content, uint32_t id_base, const int layers[static 2], struct err *err) {
        int tmp;

        if (!content->workspace)
                return mount_alone(content->size, id_base ? id_base : geteuid(), err);
        if (layers[0] >= 0 && identity_enter(err) < 0)
                return -1;
        tmp = mount_stage(content->workspace, content->stage, layers, err);
        if (tmp < 0 && err->code == ERR_NO_OVERLAY)
                err->code = ERR_INVALID; /* no other sandbox could do it */
        return tmp < 0 ? err_context(err, "cannot stage") : tmp;
}

/* To begin, with both layers of a stage, if their owners are mapped. */
static bool await_start(int ret_layers[static 2]) {
        int files[FDS_MAX];
        size_t count = 0;
        char byte;

        if (!wait_for_request() || fds_receive(HOLDER_SOCKET, &byte, 1, files, &count, 0) != 1 || (count && count != 2))
                return false;
        for (size_t i = 0; i < 2; i++)
                ret_layers[i] = count ? files[i] : -1;
        return true;
}

static _Noreturn void hold(const struct tmp_content *content, uint32_t id_base, int socket, int outside) {
        struct err err = {};
        int layers[2], tmp;

        setsid(); /* what a terminal sends is not for it */
        prctl(PR_SET_NAME, content->workspace ? "bailey-stage" : "bailey-tmp");
        if (arrange_all(content, socket, outside) < 0 || !await_start(layers))
                _exit(1);
        tmp = make(content, id_base, layers, &err);
        prctl(PR_SET_DUMPABLE, 0);
        while (serve(tmp, content->lock >= 0, &err))
                ;
        _exit(0);
}

/* ---- who has it ---- */

static int copy_mapped(const char *path, int userns, struct err *err) {
        const struct mapped_copy how = { .userns = userns, .alone = true };
        FD_AUTO place =
                kernel_openat2(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);

        return place < 0 ? mount_failed(path, err) : mapped_copy(place, path, &how, err);
}

/* Only root of the host can map owners, so it makes the layers. */
static int send_start(const struct tmp_content *content, uint32_t id_base, pid_t pid, int socket, struct err *err) {
        bool maps = content->workspace && id_base;
        FD_AUTO userns = maps ? mapped_userns(pid, err) : -1;
        FD_AUTO lower = maps && userns >= 0 ? copy_mapped(content->workspace, userns, err) : -1;
        FD_AUTO stage = lower >= 0 ? copy_mapped(content->stage, userns, err) : -1;
        struct iovec part = { (char[1]){}, 1 };
        const int layers[] = { lower, stage };

        if (maps && stage < 0)
                return -1;
        return fds_send(socket, &part, 1, layers, maps ? 2 : 0) < 0 ? err_sys(err, SUBJECT) : 0;
}

static int begin(const struct tmp_content *content, uint32_t id_base, int outside, int ends[static 2],
                 struct tmp_holder *holder, struct err *err) {
        pid_t pid;

        if (getrandom(&holder->id, sizeof(holder->id), 0) != (ssize_t)sizeof(holder->id))
                return err_sys(err, "getrandom");
        pid = clone_process(CLONE_NEWUSER | CLONE_NEWNS, -1, &holder->pidfd);
        if (pid == 0)
                hold(content, id_base, ends[1], outside);
        if (pid < 0)
                return err_sys(err, "namespaces");
        /* All ids that root has, whichever the commands have: later ones may be root outside, see launch/mapped.h. But the
         * kernel maps owners of a stage by the namespace that its overlay was made in. */
        if (identity_map(pid, content->workspace ? id_base : 0, err) < 0)
                return -1;
        return send_start(content, id_base, pid, holder->socket, err);
}

int tmp_holder_start(const struct tmp_content *content, uint32_t id_base, struct tmp_holder *ret, struct err *err) {
        struct tmp_holder holder = { .pidfd = -1, .socket = -1 };
        FD_AUTO outside = kernel_pidfd_open(getpid());
        int ends[2], result;

        if (outside < 0)
                return err_sys(err, "pidfd_open");
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
                return err_sys(err, SUBJECT);
        holder.socket = ends[0];
        result = begin(content, id_base, outside, ends, &holder, err);
        fd_close(ends[1]);
        if (result < 0) {
                tmp_holder_end(&holder);
                return -1;
        }
        *ret = holder;
        return 0;
}

bool tmp_holder_alive(const struct tmp_holder *holder) {
        struct pollfd fd = { .fd = holder->pidfd, .events = POLLIN };

        return holder->pidfd >= 0 && poll(&fd, 1, 0) == 0;
}

static int receive(int from, int *ret_lock, struct err *err) {
        size_t wanted = ret_lock ? 2 : 1;
        struct pollfd fd = { .fd = from, .events = POLLIN };
        struct err answered = {};
        int files[FDS_MAX], ready;
        size_t count = 0;
        ssize_t len;

        while ((ready = poll(&fd, 1, PATIENCE_MS)) < 0 && errno == EINTR)
                ;
        len = ready > 0 ? fds_receive(from, &answered, sizeof(answered), files, &count, MSG_DONTWAIT) : -1;
        if (len == sizeof(answered) && count == wanted) {
                if (ret_lock)
                        *ret_lock = files[1];
                return files[0];
        }
        if (len == sizeof(answered) && count == 0) {
                *err = answered;
        } else if (len < 0 && ready > 0 && errno == EBADMSG) {
                errno = EMFILE;
                err_sys(err, SUBJECT);
        } else { /* not by chance: so no other sandbox is tried */
                err_set(err, ERR_CHANGED,
                        SUBJECT ": the process that holds it does not answer; the command was not run. Try again");
        }
        for (size_t i = 0; i < count; i++)
                fd_close(files[i]);
        return -1;
}

int tmp_holder_mount(const struct tmp_holder *holder, int *ret_lock, struct err *err) {
        struct iovec part = { (char[1]){}, 1 };
        FD_AUTO mine = -1;
        int ends[2], sent;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
                return err_sys(err, SUBJECT);
        mine = ends[0];
        sent = fds_send(holder->socket, &part, 1, &ends[1], 1) < 0 ? err_sys(err, SUBJECT) : 0;
        fd_close(ends[1]);
        return sent < 0 ? -1 : receive(mine, ret_lock, err);
}

void tmp_holder_end(struct tmp_holder *holder) {
        int ignored;

        fd_close(TAKE_FD(holder->socket));
        if (holder->pidfd < 0)
                return;
        syscall(SYS_pidfd_send_signal, holder->pidfd, SIGKILL, NULL, 0);
        clone_reap(holder->pidfd, &ignored);
        fd_close(TAKE_FD(holder->pidfd));
}
