#include "cli/shells_asker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bailey.h"
#include "base/fd.h"
#include "base/time.h"

enum { ANSWER_MAX = 8 << 20 };

/* ---- the child ---- */

static int answer(int fd) {
        char error[512], *text = NULL;
        size_t length = 0;
        struct err ignored;
        uint32_t size;
        int result;
        BUF_AUTO out;

        buf_init(&out, ANSWER_MAX);
        if (bailey_sessions((const char *const *)environ, BAILEY_ANSWER_JSON, &text, &length, error, sizeof(error)) < 0)
                buf_json(&out, str_z(error));
        else if (length > ANSWER_MAX)
                buf_json(&out, STR("the answer is too long"));
        else
                buf_append(&out, str_from(text, length));
        bailey_free(text);
        size = (uint32_t)out.len;
        result = fd_write_all(fd, str_from((const char *)&size, sizeof(size)), &ignored);
        return result == 0 ? fd_write_all(fd, buf_str(&out), &ignored) : -1;
}

/* A byte asks; the end of the socket ends it, and so does the parent's death. */
static _Noreturn void child_run(int fd, pid_t parent) {
        char byte;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_IGN);
        while (getppid() == parent) {
                ssize_t got = read(fd, &byte, 1);

                if (got < 0 && errno == EINTR)
                        continue;
                if (got != 1 || answer(fd) < 0)
                        break;
        }
        _exit(0);
}

/* ---- the parent ---- */

int shells_asker_start(struct shells_asker *asker, struct err *err) {
        pid_t parent = getpid();
        int fds[2];

        *asker = (struct shells_asker){ .fd = -1 };
        buf_init(&asker->next, ANSWER_MAX);
        buf_init(&asker->last, ANSWER_MAX);
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
                return err_sys(err, "socketpair");
        asker->pid = fork(); /* nothing here has threads */
        if (asker->pid == 0) {
                fd_close(fds[0]);
                child_run(fds[1], parent);
        }
        fd_close(fds[1]);
        if (asker->pid < 0) {
                fd_close(fds[0]);
                return err_sys(err, "fork");
        }
        asker->fd = fds[0];
        return 0;
}

static void asker_lost(struct shells_asker *asker) {
        fd_close(asker->fd);
        asker->fd = -1;
        buf_clear(&asker->last);
}

void shells_asker_end(struct shells_asker *asker) {
        fd_close(asker->fd);
        asker->fd = -1;
        if (asker->pid > 0) {
                kill(asker->pid, SIGKILL);
                while (waitpid(asker->pid, NULL, 0) < 0 && errno == EINTR)
                        continue;
        }
        asker->pid = 0;
        buf_free(&asker->next);
        buf_free(&asker->last);
}

void shells_asker_ask(struct shells_asker *asker) {
        if (asker->fd < 0 || asker->asked)
                return;
        asker->asked = true;
        if (send(asker->fd, "?", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
                asker_lost(asker);
}

static void asker_finish(struct shells_asker *asker) {
        struct buf old = asker->last;

        asker->last = asker->next;
        asker->next = old;
        buf_clear(&asker->next);
        asker->last_time = time_monotonic();
        asker->asked = false;
        asker->got = 0;
}

void shells_asker_take(struct shells_asker *asker) {
        while (asker->fd >= 0) {
                char bytes[16 << 10];
                size_t head = sizeof(asker->size), wanted = sizeof(bytes);
                ssize_t got;

                if (asker->got < head)
                        wanted = head - asker->got;
                else if (asker->size - asker->next.len < wanted)
                        wanted = asker->size - asker->next.len;
                got = recv(asker->fd, bytes, wanted, MSG_DONTWAIT);
                if (got < 0 && (errno == EAGAIN || errno == EINTR))
                        return;
                if (got <= 0) {
                        asker_lost(asker);
                        return;
                }
                if (asker->got < head)
                        memcpy((char *)&asker->size + asker->got, bytes, (size_t)got);
                else
                        buf_append(&asker->next, str_from(bytes, (size_t)got));
                asker->got += (size_t)got;
                if (asker->next.failed || (asker->got >= head && asker->size > ANSWER_MAX))
                        asker_lost(asker);
                else if (asker->got >= head && asker->next.len == asker->size)
                        asker_finish(asker);
        }
}
