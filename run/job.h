/*
 * A launch under way: its output is taken in as it comes, and it is ended when its time is over or somebody wants it. The end
 * is the command's exit, never the end of its output, which a daemon may hold open.
 *
 * Several may be under way at once: an epoll tells which of them has something to do.
 */
#ifndef BAILEY_RUN_JOB_H
#define BAILEY_RUN_JOB_H

#include "launch/warm/warm.h"
#include "run/covers.h"
#include "run/relay.h"
#include "run/stream.h"

struct job_setup {
        const struct launch *launch; /* needed only until it has started */
        const struct launch
                *covers;          /* the same, if its covers are put back when the host takes them away; stays until the end */
        struct warm *warm;        /* was made for that, and is used up; NULL: none */
        struct stream *out, *err; /* take stdout and stderr; `err` NULL: `out` takes both, in order. Both NULL: they go on: */
        int out_fd, err_fd;       /* unchanged; 0 or less: nowhere */
        int64_t timeout;          /* nanoseconds; 0: none */
        int64_t drain;            /* how long those who take the output may keep us after the end */
        int cancel_fd;            /* readable: cancel; -1: none */
        int epoll_fd;             /* gets what is to be polled, with `epoll_data`; -1: none. Not with out_fd */
        void *epoll_data;
};

struct outcome {
        int status; /* as of waitpid() */
        bool timed_out, cancelled, memory_killed;
        int64_t duration; /* nanoseconds */
};

/* Where output comes in. */
struct job_source {
        struct stream *stream;
        int fd;              /* of the stream; -1: none, or it has ended */
        struct relay *relay; /* or this */
        int to;              /* on Windows: where it goes when there is no stream; 0 or less: nowhere */
};

struct job {
        struct launched launched;
        struct job_source sources[2]; /* stdout, stderr */
        bool awaited;                 /* the news that it has started */
        bool running;                 /* it is known that it has */
        bool killed;
        int64_t begun, deadline, kill_at; /* monotonic; 0: never */
        int64_t drain;
        int cancel_fd, epoll_fd;
        void *epoll_data;
        struct covers covers;
        struct err uncovered; /* why it was killed: covers could not be put back */
        struct outcome outcome;
};

enum job_state {
        JOB_RUNS,
        JOB_ENDED,
        JOB_FAILED, /* the command did not start */
};

int job_start(struct job *job, const struct job_setup *setup, struct err *err);

/* Does what is due. But for JOB_RUNS the job is over, and nothing of it is left but walls that are being torn down: there is
 * time for launch_reap(). `outcome` says how it went. `may_wait`: until something is due. */
enum job_state job_turn(struct job *job, bool may_wait, struct err *err);

/* When something will be due in any case; monotonic, 0: never. */
int64_t job_deadline(const struct job *job);

/* Somebody wants its end: by a signal first, and `grace` later, or at once with SIGKILL, by force. */
void job_cancel(struct job *job, int number, int64_t grace);

/* Stops everything inside, and has covers put back; or lets it go on. */
void job_hold(struct job *job, bool hold);

/* What its covers protected is open to it now: it is killed, and `uncovered` says why. */
void job_uncovered(struct job *job, const struct err *why);

/* To the end. Fails only when the command did not start. */
int job_run(const struct job_setup *setup, struct outcome *ret, struct err *err);

#endif
