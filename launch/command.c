#include "launch/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "launch/files.h"
#include "launch/clone.h"
#include "launch/kernel.h"
#include "launch/report.h"

enum { CHUNK = 4096, DRAIN_MS = 100, DRAIN_SECONDS_MAX = 5, REPORT_FD = 3, OUTSIDE_FD = 4 };

struct running {
        pid_t pid; /* of who waits for it; the program is of its group */
        int pidfd, report;
        int out, err; /* -1: at its end */
        bool ended;
        int64_t deadline;
        struct buf complaints;
};

/* ---- starting ---- */

struct ends {
        int in, out, err, report;
        int outside; /* a pidfd of who wants it */
};

static _Noreturn void execute(const struct command *c) {
        struct err err = {};
        sigset_t none;

        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execve(c->argv[0], (char *const *)c->argv, (char *const *)c->envp);
        err_sys(&err, "%s", c->argv[0]);
        report_failure(REPORT_FD, &err);
}

/* Returns false if the process that wants the result has died first. */
static bool await(pid_t pid) {
        FD_AUTO program = kernel_pidfd_open(pid);
        struct pollfd fds[] = { { .fd = program, .events = POLLIN }, { .fd = OUTSIDE_FD, .events = POLLIN } };

        while (program >= 0 && poll(fds, 2, -1) < 0 && errno == EINTR)
                ;
        return program < 0 || fds[0].revents;
}

/* Waits for the program, and tells how it ended: the status of a child of this process itself could be collected by another
 * thread that waits for children. */
static _Noreturn void child(const struct command *c, const struct ends *ends) {
        /* In place of a pidfd: that its reader is gone says nearly as much. */
        int from[] = { ends->in, ends->out, ends->err, ends->report, ends->outside < 0 ? ends->report : ends->outside };
        int status = 0;
        struct err err = {};
        pid_t pid;

        setsid(); /* what a terminal sends is not for it, and all of it can be killed */
        if (from[0] < 0)
                from[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (files_arrange(from, OUTSIDE_FD + 1, true, &err) < 0)
                report_failure(ends->report, &err);
        pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): as in inside.c */
        if (pid == 0)
                execute(c); /* NOLINT(clang-analyzer-unix.Vfork) */
        if (pid > 0 && !await(pid))
                kill(-getpid(), SIGKILL); /* with this process */
        while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        if (pid < 0) {
                err_sys(&err, "fork");
                report_failure(REPORT_FD, &err);
        }
        report_send(REPORT_FD, REPORT_ENDED, status);
        _exit(0);
}

static int start(const struct command *c, struct running *r, struct err *err) {
        int out[2] = { -1, -1 }, complaints[2] = { -1, -1 }, report[2] = { -1, -1 };
        int result = c->out < 0 ? fd_pipe(out, err) : 0;
        FD_AUTO outside = kernel_pidfd_open(getpid());
        struct ends ends;

        if (result == 0 && c->err < 0)
                result = fd_pipe(complaints, err);
        if (result == 0)
                result = fd_pipe(report, err);
        ends = (struct ends){ c->in, c->out < 0 ? out[1] : c->out, c->err < 0 ? complaints[1] : c->err, report[1], outside };
        if (result == 0) {
                r->pid = clone_process(0, -1, &r->pidfd);
                if (r->pid == 0)
                        child(c, &ends);
                result = r->pid < 0 ? err_sys(err, "fork") : 0;
        }
        fd_close(out[1]);
        fd_close(complaints[1]);
        fd_close(report[1]);
        r->out = out[0];
        r->err = complaints[0];
        r->report = report[0];
        return result;
}

/* ---- waiting ---- */

/* What does not fit is read all the same: the program must not wait for us. */
static void take(int *fd, struct buf *into) {
        char bytes[CHUNK];
        ssize_t len = read(*fd, bytes, sizeof(bytes));

        if (len > 0 && into->len + (size_t)len <= into->max)
                buf_append(into, str_from(bytes, (size_t)len));
        else if (len == 0 || (len < 0 && errno != EINTR))
                fd_close(TAKE_FD(*fd));
}

/* Until it ends, and a moment longer for what is still in the pipes, which others may hold open, and may go on to fill. False:
 * out of time. */
static bool watch(struct running *r, struct buf *out) {
        int64_t until = r->deadline, limit = until;

        for (;;) {
                struct pollfd fds[] = {
                        { .fd = r->ended ? -1 : r->pidfd, .events = POLLIN },
                        { .fd = r->out, .events = POLLIN },
                        { .fd = r->err, .events = POLLIN },
                };
                int64_t now = time_monotonic(), left = (until - now + 999999) / 1000000;
                int ready;

                if (now >= limit)
                        return r->ended;
                ready = poll(fds, 3, left > 0 ? (int)left : 0);
                if (ready == 0 && r->ended)
                        return true;
                if (ready < 0)
                        continue;
                if (fds[1].revents)
                        take(&r->out, out);
                if (fds[2].revents)
                        take(&r->err, &r->complaints);
                if (fds[0].revents) {
                        r->ended = true;
                        until = time_monotonic() + DRAIN_MS * INT64_C(1000000);
                        limit = time_monotonic() + DRAIN_SECONDS_MAX * TIME_SECOND;
                }
                if (r->ended && r->out < 0 && r->err < 0)
                        return true;
        }
}

/* Of several lines, the last says most; programs say first what they tried. */
static void keep_last_line(struct buf *text, char *ret, size_t size) {
        struct str s = buf_str(text), line = {};

        while (s.len) {
                size_t end = str_find(s, '\n');

                if (end > 0)
                        line = str_take(s, end);
                s = str_skip(s, end + 1);
        }
        line = str_take(line, size - 1);
        if (line.len)
                memcpy(ret, line.ptr, line.len);
        ret[line.len] = 0;
}

/* Killed, it ends without a word. */
static int finish(const struct running *r, int *ret_status, struct err *err) {
        struct report report;
        int ignored;

        clone_reap(r->pidfd, &ignored);
        if (report_receive(r->report, &report) != 1)
                report = (struct report){ .kind = REPORT_ENDED, .status = SIGKILL };
        if (report.kind == REPORT_FAILED) {
                if (err)
                        *err = report.err;
                return -1;
        }
        *ret_status = report.status;
        return 0;
}

int command_run(const struct command *command, struct command_end *ret, struct err *err) {
        struct running r = { .pid = -1, .pidfd = -1, .report = -1, .out = -1, .err = -1 };
        int result;

        buf_init(&r.complaints, 64 << 10);
        r.deadline = time_monotonic() + command->timeout;
        result = start(command, &r, err);
        if (result == 0) {
                ret->timed_out = !watch(&r, &ret->out);
                if (ret->timed_out && kill(-r.pid, SIGKILL) < 0) /* it is no group yet */
                        kill(r.pid, SIGKILL);
                result = finish(&r, &ret->status, err);
        }
        keep_last_line(&r.complaints, ret->said, sizeof(ret->said));
        buf_free(&r.complaints);
        fd_close(r.pidfd);
        fd_close(r.report);
        fd_close(r.out);
        fd_close(r.err);
        return result;
}

int command_check(const struct command *command, const struct command_end *end, struct err *err) {
        const char *name = strrchr(command->argv[0], '/');

        name = name ? name + 1 : command->argv[0];
        if (end->timed_out)
                return err_set(err, ERR_UNSUPPORTED, "%s did not answer within %lld s", name,
                               (long long)(command->timeout / TIME_SECOND));
        if (WIFEXITED(end->status) && WEXITSTATUS(end->status) == 0)
                return 0;
        if (end->said[0])
                return err_set(err, ERR_UNSUPPORTED, "%s", end->said);
        return WIFSIGNALED(end->status)
                       ? err_set(err, ERR_UNSUPPORTED, "%s was ended by signal %d", name, WTERMSIG(end->status))
                       : err_set(err, ERR_UNSUPPORTED, "%s ended with status %d", name, WEXITSTATUS(end->status));
}
