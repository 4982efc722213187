/*
 * The same for Windows, one command at a time: pipes are looked into again and again, as they cannot be waited for together
 * with a process.
 */
#include "run/job.h"

#include <windows.h>

#include "base/fd.h"
#include "base/time.h"
#include "launch/parts_windows.h"

enum { PAUSE_MS = 5, COPY_SIZE = 64 << 10 };

/* ---- output ---- */

static DWORD waiting_in(int fd, bool *ret_ended) {
        DWORD waiting = 0;

        *ret_ended = !PeekNamedPipe((HANDLE)_get_osfhandle(fd), NULL, 0, NULL, &waiting, NULL);
        return *ret_ended ? 0 : waiting;
}

static void source_close(struct job_source *source) {
        fd_close(TAKE_FD(source->fd));
}

static void copy(struct job_source *source, struct output_quota *quota) {
        char bytes[COPY_SIZE];
        int got = read(source->fd, bytes, sizeof(bytes));
        size_t passed = got > 0 && source->to > 0 ? output_quota_take(quota, (size_t)got) : 0;

        if (passed && fd_write_all(source->to, str_from(bytes, passed), NULL) < 0)
                source->to = -1; /* its reader is gone; the command goes on */
        if (got <= 0)
                source_close(source);
}

/* Returns whether there was any. */
static bool source_step(struct job_source *source, struct output_quota *quota) {
        bool ended;
        DWORD waiting = source->fd < 0 ? 0 : waiting_in(source->fd, &ended);

        if (source->fd < 0 || (!ended && waiting == 0))
                return false;
        if (ended)
                source_close(source);
        else if (!source->stream)
                copy(source, quota);
        else if (stream_read(source->stream, source->fd) == 0)
                source_close(source);
        return !ended;
}

/* All of the command is gone, so what is there now is all. */
static void source_drain(struct job_source *source, struct output_quota *quota) {
        while (source_step(source, quota))
                ;
        source_close(source);
        if (source->stream)
                stream_end(source->stream);
}

static int source_open(struct job_source *source, struct stream *stream, int to, int *ret_end, struct err *err) {
        int ends[2];

        if (fd_pipe(ends, err) < 0)
                return -1;
        *source = (struct job_source){ .stream = stream, .fd = ends[0], .to = to };
        *ret_end = ends[1];
        return 0;
}

static int open_sources(struct job *job, const struct job_setup *setup, struct launch_files *files, struct err *err) {
        if (source_open(&job->sources[0], setup->out, setup->out_fd, &files->out, err) < 0)
                return -1;
        if (setup->out && !setup->err) { /* both, in order */
                files->err = files->out;
                return 0;
        }
        return source_open(&job->sources[1], setup->err, setup->err_fd, &files->err, err);
}

/* ---- the beginning ---- */

int job_start(struct job *job, const struct job_setup *setup, struct err *err) {
        struct launch_files files = { .in = -1, .out = -1, .err = -1 };
        int result;

        *job = (struct job){
                .sources = { { .fd = -1 }, { .fd = -1 } },
                .quota = { .limit = setup->passed_max },
                .begun = time_monotonic(),
                .cancel_fd = setup->cancel_fd,
                .epoll_fd = -1,
        };
        job->deadline = setup->timeout ? job->begun + setup->timeout : 0;
        result = open_sources(job, setup, &files, err);
        if (result == 0)
                result = launch_start(setup->launch, &files, &job->launched, err);
        fd_close(files.err != files.out ? files.err : -1);
        fd_close(files.out);
        job->running = result == 0;
        for (size_t i = 0; i < 2 && result < 0; i++)
                source_close(&job->sources[i]);
        return result;
}

/* ---- on the way ---- */

int64_t job_deadline(const struct job *job) {
        if (job->killed)
                return 0;
        if (job->kill_at && (!job->deadline || job->kill_at < job->deadline))
                return job->kill_at;
        return job->deadline;
}

static void force(struct job *job) {
        job->killed = true;
        launch_kill(&job->launched);
}

/* Nothing can be asked to end here, so it is killed at once, whatever the signal. */
void job_cancel(struct job *job, int number, int64_t grace) {
        (void)number;
        (void)grace;
        if (job->killed)
                return;
        job->outcome.cancelled = true;
        force(job);
}

static bool is_cancelled(const struct job *job) {
        bool ended;

        return job->cancel_fd >= 0 && waiting_in(job->cancel_fd, &ended) > 0;
}

static enum job_state finish(struct job *job, struct err *err) {
        launch_kill(&job->launched); /* what it left behind */
        launch_end(&job->launched, &job->outcome.status, err);
        for (size_t i = 0; i < 2; i++)
                source_drain(&job->sources[i], &job->quota);
        job->outcome.duration = time_monotonic() - job->begun;
        job->outcome.dropped = job->quota.dropped;
        return JOB_ENDED;
}

enum job_state job_turn(struct job *job, bool may_wait, struct err *err) {
        bool busy = source_step(&job->sources[0], &job->quota);

        busy = source_step(&job->sources[1], &job->quota) || busy;
        if (WaitForSingleObject(job->launched.contained->process, may_wait && !busy ? PAUSE_MS : 0) != WAIT_TIMEOUT)
                return finish(job, err); /* also when it cannot be waited for */
        if (job->killed)
                return JOB_RUNS;
        if (is_cancelled(job)) {
                job_cancel(job, SIGKILL, 0);
        } else if (job->deadline && time_monotonic() >= job->deadline) {
                job->outcome.timed_out = true;
                force(job);
        }
        return JOB_RUNS;
}

/* ---- one alone ---- */

/* There are no covers. */
void job_hold(struct job *job, bool hold) {
        (void)job;
        (void)hold;
}

void job_uncovered(struct job *job, const struct err *why) {
        job->uncovered = *why;
        job_cancel(job, SIGKILL, 0);
}

int job_run(const struct job_setup *setup, struct outcome *ret, struct err *err) {
        enum job_state state = JOB_RUNS;
        struct job job;

        if (job_start(&job, setup, err) < 0)
                return -1;
        while (state == JOB_RUNS)
                state = job_turn(&job, true, err);
        *ret = job.outcome;
        return 0;
}
