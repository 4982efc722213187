#include "run/foreground.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>

#include "base/fd.h"
#include "base/time.h"
#include "run/relay.h"

/* Milliseconds to wait, rounded up so that the deadline has passed then; -1: for ever. */
static int wait_time(int64_t deadline) {
        int64_t left;

        if (deadline == 0)
                return -1;
        left = deadline - time_monotonic();
        return left <= 0 ? 0 : left > INT64_C(2000000) * 1000000 ? 2000000 : (int)((left + 999999) / 1000000);
}

/* Where the command's output comes in: into a capture, or through relays, or not here at all. */
struct streams {
        int capture; /* -1: none */
        struct relay out, err;
        struct launch_files files; /* the command's ends */
};

static void streams_free_ends(const struct foreground *f, struct streams *s) {
        fd_close(s->files.in);
        if (s->files.out != f->out)
                fd_close(s->files.out);
        if (s->files.err != f->err && s->files.err != s->files.out)
                fd_close(s->files.err);
}

static int open_capture(struct streams *s, struct err *err) {
        int ends[2];

        if (capture_pipe(ends, err) < 0)
                return -1;
        s->capture = ends[0];
        s->files.out = s->files.err = ends[1];
        return 0;
}

static int open_relays(const struct foreground *f, struct streams *s, struct err *err) {
        if (!relay_needless(f->out) && relay_open(&s->out, f->out, &s->files.out, err) < 0)
                return -1;
        if (relay_needless(f->err))
                return 0;
        if (s->out.from >= 0 && relay_same(f->out, f->err)) {
                s->files.err = s->files.out;
                return 0;
        }
        return relay_open(&s->err, f->err, &s->files.err, err);
}

static int streams_open(const struct foreground *f, struct streams *s, struct err *err) {
        s->capture = s->out.from = s->err.from = -1;
        s->files = (struct launch_files){ .in = open("/dev/null", O_RDONLY | O_CLOEXEC), .out = f->out, .err = f->err };
        if (s->files.in < 0)
                return err_sys(err, "/dev/null");
        return f->capture ? open_capture(s, err) : open_relays(f, s, err);
}

/* Until the command ends by itself or has to be ended. */
static void watch(const struct foreground *f, const struct launched *launched, struct streams *s, int64_t deadline,
                  struct outcome *outcome) {
        for (;;) {
                struct pollfd fds[] = {
                        { .fd = launched->pidfd, .events = POLLIN },
                        { .fd = f->cancel_fd, .events = POLLIN },
                        { .fd = s->capture, .events = POLLIN },
                        relay_poll(&s->out),
                        relay_poll(&s->err),
                };

                if (poll(fds, sizeof(fds) / sizeof(*fds), wait_time(deadline)) < 0)
                        continue;
                if (fds[2].revents && capture_read(f->capture, s->capture) == 0)
                        fd_close(TAKE_FD(s->capture));
                relay_step(&s->out, &fds[3]);
                relay_step(&s->err, &fds[4]);
                outcome->cancelled = fds[1].revents;
                outcome->timed_out = deadline && time_monotonic() >= deadline;
                if (fds[0].revents || outcome->cancelled || outcome->timed_out)
                        break;
        }
}

/* What is still in the pipes, after all who could write are gone. */
static void drain(const struct foreground *f, struct streams *s) {
        int64_t deadline = time_monotonic() + f->drain;
        ssize_t got;

        while (s->capture >= 0 && ((got = capture_read(f->capture, s->capture)) > 0 || (got < 0 && errno == EINTR)))
                ;
        fd_close(s->capture);
        relay_drain(&s->out, deadline);
        relay_drain(&s->err, deadline);
}

static int run_streams(const struct foreground *f, struct streams *s, struct outcome *ret, struct err *err) {
        int64_t begun = time_monotonic();
        struct outcome outcome = {};
        struct launched launched;
        int status = streams_open(f, s, err);

        if (status == 0)
                status = launch_start(f->launch, &s->files, &launched, err);
        streams_free_ends(f, s);
        if (status == 0) {
                if (f->launch->announce)
                        f->started(f->context);
                watch(f, &launched, s, f->timeout ? begun + f->timeout : 0, &outcome);
                if (outcome.timed_out || outcome.cancelled)
                        launch_kill(&launched);
                if (launched.group.version != CGROUP_NONE)
                        outcome.memory_killed = cgroup_memory_killed(&launched.group);
                status = launch_end(&launched, &outcome.status, err);
        }
        drain(f, s);
        outcome.duration = time_monotonic() - begun;
        if (status == 0)
                *ret = outcome;
        return status;
}

int foreground_run(const struct foreground *f, struct outcome *ret, struct err *err) {
        struct streams *streams = malloc(sizeof(*streams));
        int result;

        if (!streams)
                return err_set(err, ERR_MEMORY, "out of memory");
        result = run_streams(f, streams, ret, err);
        free(streams);
        return result;
}
