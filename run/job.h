/*
 * A running command: reads its output; kills it on timeout or on request. It ends when the command exits, not at the end of its
 * output, which a daemon may keep open.
 *
 * Several may run at once: an epoll reports which of them has something to do.
 */
#ifndef BAILEY_RUN_JOB_H
#define BAILEY_RUN_JOB_H

#include "launch/egress.h"
#include "launch/warm/warm.h"
#include "run/covers.h"
#include "run/output_quota.h"
#include "run/input_queue.h"
#include "run/relay.h"
#include "run/stream.h"

struct terminal_setup; /* run/terminal_link.h */
struct terminal_link;

struct job_setup {
        const struct launch *launch; /* needed only until it has started */
        const struct launch *covers; /* the same, if its covers are to be restored; must live until the end */
        struct warm *warm;           /* a sandbox for this launch, which is consumed; NULL: none */
        int in_fd;                   /* what it reads; 0 or less: nothing. Not with epoll_fd */
        struct input_queue *typed;   /* or this; job_give() when something was added. NULL: none */
        struct stream *out, *err; /* take stdout and stderr; `err` NULL: `out` takes both, in order. Both NULL: they go on: */
        int out_fd, err_fd;       /* unchanged; 0 or less: nowhere */
        struct stream *seen; /* gets a copy of what is relayed to these; then a pipe that is only stderr is, too. NULL: none */
        int64_t passed_max;  /* bytes that go to these, together; 0: all. Not to a terminal's user */
        const struct terminal_setup *terminal; /* if the launch has a terminal: who uses it. Not with epoll_fd, `out` or `err`.
                                                  NULL: it is read by `out`, and `typed` is typed there */
        int64_t timeout;                       /* nanoseconds; 0: none */
        int64_t drain;                         /* how long readers of the output may delay the end */
        int cancel_fd;                         /* readable: cancel; -1: none */
        int epoll_fd;                          /* gets what is to be polled, with `epoll_data`; -1: none. Not with out_fd */
        void *epoll_data;

        /* Takes sockets that come from the sandbox of a launch with `egress`, at its start and for launch_request_socket().
         * NULL: they are closed, and then nothing that the command connects to answers. Not called with none. */
        void (*egress)(void *context, struct egress_sockets *sockets);
        void *egress_context;

        /* Gets what the shell of a launch that `leaves_state` has left (launch/warm/state_page.h), at the end. NULL: none. */
        struct buf *state;

        /* Gets the file of launch/evidence.h of a launch that keeps evidence, at the end; -1: it has none. NULL: nobody. */
        int *evidence;

        /* What else the command depends on: called when this file is readable, and returns the one to wait for from then on; 0
         * or less: none. Not with epoll_fd. */
        int beside_fd;
        int (*beside)(void *context);
        void *beside_context;
};

struct outcome {
        int status; /* as of waitpid() */
        bool timed_out, cancelled, memory_killed;
        int64_t duration; /* nanoseconds */
        uint64_t dropped; /* bytes of output, above `passed_max` */
};

/* Where output comes in. */
struct job_source {
        struct stream *stream;
        int fd;              /* of the stream; -1: none, or it has ended */
        bool terminal;       /* and it is the command's terminal */
        struct relay *relay; /* or this */
        bool apart;          /* stderr that is not also stdout */
        int to;              /* on Windows: where it goes when there is no stream; 0 or less: nowhere */
};

struct job {
        struct launched launched;
        struct job_source sources[2];   /* stdout, stderr */
        struct output_quota quota;      /* of both */
        struct stream *seen;            /* of both */
        struct relay *input;            /* stdin; NULL: the command has its own, or none */
        struct input_queue *typed;      /* or this; NULL: none */
        struct terminal_link *terminal; /* all three; NULL: it has none */
        bool terminal_expected;         /* pid 1 has not sent it yet */
        bool awaited;                   /* the report that it has started is pending */
        bool running;                   /* it has started */
        bool killed;
        int64_t begun, deadline, kill_at; /* monotonic; 0: never */
        int64_t drain;
        int cancel_fd, epoll_fd;
        void *epoll_data;
        bool egress_expected; /* launch/egress.h: sockets come */
        void (*egress)(void *context, struct egress_sockets *sockets);
        void *egress_context;
        struct buf *state;
        int *evidence;
        int state_page, notes; /* -1: it has not come */
        int beside_fd;
        int (*beside)(void *context);
        void *beside_context;
        struct covers covers;
        struct err no_terminal; /* why it was killed: its terminal cannot be used */
        struct err uncovered;   /* why it was killed: covers could not be restored */
        struct outcome outcome;
};

enum job_state {
        JOB_RUNS,
        JOB_ENDED,
        JOB_FAILED, /* the command did not start */
};

int job_start(struct job *job, const struct job_setup *setup, struct err *err);

/* Does what is due. Unless it returns JOB_RUNS, the job is over, and only its sandbox is still being torn down (launch_reap()).
 * `outcome` says how it ended. `may_wait`: waits until something is due. */
enum job_state job_turn(struct job *job, bool may_wait, struct err *err);

/* Returns the time of the next action; monotonic, 0: never. */
int64_t job_deadline(const struct job *job);

/* Requests its end: sends the signal, and `grace` later SIGKILL; SIGKILL at once if that is the signal. */
void job_cancel(struct job *job, int number, int64_t grace);

/* Something was added to `typed`: passes on what the command takes now, and the rest later. */
void job_give(struct job *job);

/* Sends a signal to the foreground process group of the command's terminal, or, if it has none, to that of the command. */
void job_signal(struct job *job, int number);

/* Of the command's terminal. -1: there is none. */
int job_resize(struct job *job, unsigned rows, unsigned columns);

/* Does it take whole lines, and not show them? As for a password. */
bool job_hides_input(const struct job *job);

/* Stops all processes inside, and restores covers; or lets them continue. */
void job_hold(struct job *job, bool hold);

/* Its covers could not be restored: kills it, and sets `uncovered`. */
void job_uncovered(struct job *job, const struct err *why);

/* Runs the job to its end. Fails only if the command did not start. */
int job_run(const struct job_setup *setup, struct outcome *ret, struct err *err);

#endif
