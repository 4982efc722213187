#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/control_place.h"
#include "engine/pipeline/named_tmp.h"
#include "launch/clone.h"
#include "launch/files.h"
#include "launch/tmp_holder.h"

enum { USERS_MAX = 64 };

/* Nothing here allocates: it is a copy of a process that may have had threads. */
struct keeper {
        struct named_tmp_keeper given;
        struct tmp_holder holder;
        struct err failure; /* why there is no holder */
        int users[USERS_MAX];
        unsigned count;
};

static _Noreturn void end(const struct keeper *k) {
        /* While it listens: who comes later finds no socket, and who has come is told by the end that it has to start another.
         */
        unlinkat(k->given.place, k->given.file, 0);
        _exit(0);
}

static void reply(const struct keeper *k, int to, bool joins) {
        struct named_tmp_reply message = { .err = k->failure, .state = k->given.state };
        struct iovec part = { &message, sizeof(message) };

        message.state.users = k->count - 1;
        (void)fds_send(to, &part, 1, &k->holder.socket, joins && k->holder.socket >= 0); /* who is gone needs no reply */
}

/* Returns false if the connection is over. */
static bool serve(const struct keeper *k, int user) {
        char request = 0;
        ssize_t len = recv(user, &request, 1, MSG_DONTWAIT);

        if (len < 0 && (errno == EAGAIN || errno == EINTR))
                return true;
        if (len <= 0)
                return false;
        reply(k, user, request == NAMED_TMP_JOIN);
        if (request == NAMED_TMP_END || k->failure.code)
                end(k);
        return true;
}

static void welcome(struct keeper *k) {
        int fd = accept4(k->given.listener, NULL, NULL, SOCK_CLOEXEC);

        if (fd >= 0 && control_welcomes(fd))
                k->users[k->count++] = fd;
        else
                fd_close(fd);
}

/* Waits for events; without connections, for a limited time. */
static void turn(struct keeper *k) {
        struct pollfd fds[2 + USERS_MAX];
        int64_t idle = k->given.idle / (TIME_SECOND / 1000);
        unsigned count = k->count, kept = 0;
        int ready;

        fds[0] = (struct pollfd){ .fd = k->holder.pidfd, .events = POLLIN };
        fds[1] = (struct pollfd){ .fd = count < USERS_MAX ? k->given.listener : -1, .events = POLLIN };
        for (unsigned i = 0; i < count; i++)
                fds[2 + i] = (struct pollfd){ .fd = k->users[i], .events = POLLIN };
        ready = poll(fds, 2 + count, count ? -1 : idle > INT_MAX ? INT_MAX : (int)idle);
        if (ready < 0 && errno == EINTR)
                return;
        if (ready <= 0 || fds[0].revents) /* no connection, or the holder was killed */
                end(k);
        for (unsigned i = 0; i < count; i++) {
                if (fds[2 + i].revents && !serve(k, k->users[i]))
                        fd_close(k->users[i]);
                else
                        k->users[kept++] = k->users[i];
        }
        k->count = kept;
        if (fds[1].revents)
                welcome(k);
}

static _Noreturn void keep(struct keeper *k) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        int files[] = { null, null, null, k->given.listener, k->given.place, k->given.lock };
        struct tmp_content content = { .size = k->given.size, .lock = -1 };
        bool staged = k->given.stage[0];
        sigset_t none;
        struct err err;

        setsid();
        prctl(PR_SET_NAME, "bailey-session");
        if (null < 0 || files_arrange(files, staged ? 6 : 5, true, &err) < 0 || chdir("/") < 0)
                _exit(1);
        k->given.listener = 3;
        k->given.place = 4;
        if (staged) {
                k->given.lock = content.lock = 5;
                content.workspace = k->given.state.workspace;
                content.stage = k->given.stage;
        }
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL); /* so that ending all processes of a user ends this one, too */
        if (tmp_holder_start(&content, k->given.id_base, &k->holder, &k->failure) < 0)
                k->holder = (struct tmp_holder){ .pidfd = -1, .socket = -1 };
        while (true)
                turn(k);
}

int named_tmp_keep(const struct named_tmp_keeper *given, struct err *err) {
        struct keeper keeper = { .given = *given, .holder = { .pidfd = -1, .socket = -1 } };
        int pidfd = -1, ignored;
        pid_t pid = clone_process(0, -1, &pidfd);

        if (pid == 0) { /* by a process in between: its own parent is then one that waits for everybody */
                if ((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0) == 0)
                        keep(&keeper);
                _exit(0);
        }
        if (pid < 0)
                return err_sys(err, "starting the session");
        clone_reap(pidfd, &ignored);
        fd_close(pidfd);
        return 0;
}
