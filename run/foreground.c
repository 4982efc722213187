#include "run/foreground.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include "base/fd.h"
#include "base/time.h"

/* Milliseconds to wait, rounded up so that the deadline has passed then; -1: for ever. */
static int wait_time(int64_t deadline) {
        int64_t left;

        if (deadline == 0)
                return -1;
        left = deadline - time_monotonic();
        return left <= 0 ? 0 : left > INT64_C(2000000) * 1000000 ? 2000000 : (int)((left + 999999) / 1000000);
}

/* Until the command ends by itself or has to be ended. */
static void watch(const struct foreground *f, const struct launched *launched, int *output, int64_t deadline,
                  struct outcome *outcome) {
        for (;;) {
                struct pollfd fds[] = {
                        { .fd = launched->report_fd, .events = POLLIN },
                        { .fd = f->cancel_fd, .events = POLLIN },
                        { .fd = *output, .events = POLLIN },
                };
                int ready = poll(fds, 3, wait_time(deadline));

                if (fds[2].revents && capture_read(f->capture, *output) == 0)
                        fd_close(TAKE_FD(*output));
                if (fds[0].revents && ready > 0)
                        return;
                outcome->cancelled = ready > 0 && fds[1].revents;
                outcome->timed_out = deadline && time_monotonic() >= deadline;
                if (outcome->cancelled || outcome->timed_out)
                        return;
        }
}

/* What is still in the pipe, after all who could write are gone. */
static void drain(const struct foreground *f, int output) {
        ssize_t got;

        while (output >= 0 && ((got = capture_read(f->capture, output)) > 0 || (got < 0 && errno == EINTR)))
                ;
}

static int start(const struct foreground *f, struct launched *ret, int *ret_output, struct err *err) {
        struct launch_files files = { .out = f->out, .err = f->err };
        FD_AUTO null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        int pipe[2] = { -1, -1 };
        int result;

        if (null < 0)
                return err_sys(err, "/dev/null");
        files.in = null;
        if (f->capture) {
                if (capture_pipe(pipe, err) < 0)
                        return -1;
                files.out = files.err = pipe[1];
        }
        result = launch_start(f->launch, &files, ret, err);
        fd_close(pipe[1]);
        if (result < 0)
                fd_close(pipe[0]);
        else
                *ret_output = pipe[0];
        return result;
}

int foreground_run(const struct foreground *f, struct outcome *ret, struct err *err) {
        int64_t begun = time_monotonic();
        struct outcome outcome = {};
        struct launched launched;
        int output, status;

        if (start(f, &launched, &output, err) < 0)
                return -1;
        if (f->started)
                f->started(f->context);
        watch(f, &launched, &output, f->timeout ? begun + f->timeout : 0, &outcome);
        if (outcome.timed_out || outcome.cancelled)
                launch_kill(&launched);
        if (launched.group.version != CGROUP_NONE)
                outcome.memory_killed = cgroup_memory_killed(&launched.group);
        status = launch_end(&launched);
        outcome.status = status < 0 ? SIGKILL : status;
        drain(f, output);
        fd_close(output);
        outcome.duration = time_monotonic() - begun;
        *ret = outcome;
        return 0;
}
