#include "run/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "base/fd.h"
#include "base/time.h"
#include "launch/control.h"
#include "launch/report.h"
#include "launch/warm/state_page.h"
#include "run/terminal_link.h"

enum job_fd {
        FD_END,
        FD_REPORT,
        FD_CANCEL,
        FD_IN,
        FD_TYPED,
        FD_OUT,
        FD_ERR,
        FD_CONTROL,
        FD_HELPER,
        FD_WRITTEN,
        FD_BESIDE,
        FD_TERMINAL,
        FD_COUNT = FD_TERMINAL + TERMINAL_LINK_POLLS
};

enum { TERMINAL_READS = 256 }; /* of some kilobytes */

/* ---- files ---- */

static int watch(const struct job *job, int fd, void *data, struct err *err) {
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = data };

        if (job->epoll_fd < 0 || fd < 0)
                return 0;
        return epoll_ctl(job->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? err_sys(err, "epoll") : 0;
}

/* Before it is closed: a child that was just born has a copy of it, and the kernel would go on telling of that. */
static void unwatch(const struct job *job, int fd) {
        if (job->epoll_fd >= 0 && fd >= 0)
                epoll_ctl(job->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

static void source_close(const struct job *job, struct job_source *source) {
        unwatch(job, source->fd);
        fd_close(TAKE_FD(source->fd));
        if (source->relay)
                relay_close(source->relay);
        free(source->relay);
        source->relay = NULL;
}

static int source_capture(struct job_source *source, struct stream *stream, int *ret_end, struct err *err) {
        int ends[2];

        if (capture_pipe(ends, err) < 0)
                return -1;
        source->stream = stream;
        source->fd = ends[0];
        *ret_end = ends[1];
        return 0;
}

static struct relay *make_relay(struct err *err) {
        struct relay *relay = malloc(sizeof(*relay));

        if (relay)
                relay->from = -1;
        else
                err_memory(err);
        return relay;
}

/* A pipe can be handed on as it is, unless something has to be known of what goes there. */
static bool can_hand_on(const struct job *job, const struct job_source *source, int to) {
        return relay_needless(to) && (relay_discards(to) || (!job->quota.limit && !(job->seen && source->apart)));
}

static int source_relay(struct job *job, struct job_source *source, int to, int *ret_end, struct err *err) {
        if (to <= 0) {
                *ret_end = open("/dev/null", O_WRONLY | O_CLOEXEC);
                return *ret_end < 0 ? err_sys(err, "/dev/null") : 0;
        }
        if (can_hand_on(job, source, to))
                return 0;
        source->relay = make_relay(err);
        if (!source->relay || relay_open(source->relay, to, ret_end, err) < 0)
                return -1;
        source->relay->quota = &job->quota;
        source->relay->seen = job->seen;
        return 0;
}

static int open_input(struct job *job, int from, int *ret_end, struct err *err) {
        if (from <= 0) {
                *ret_end = open("/dev/null", O_RDONLY | O_CLOEXEC);
                return *ret_end < 0 ? err_sys(err, "/dev/null") : 0;
        }
        if (relay_needless(from)) {
                *ret_end = from;
                return 0;
        }
        job->input = make_relay(err);
        return job->input ? relay_open_input(job->input, from, ret_end, err) : -1;
}

static void close_input(struct job *job) {
        if (job->input)
                relay_close(job->input);
        free(job->input);
        job->input = NULL;
}

static void close_terminal(struct job *job, int64_t deadline) {
        terminal_link_close(job->terminal, deadline);
        job->terminal = NULL;
}

/* Until pid 1 inside has made it, there is nothing; of stderr that is apart there is. */
static int open_terminal(struct job *job, const struct job_setup *setup, struct launch_files *files, struct err *err) {
        if (terminal_link_open(setup->terminal, &job->terminal, err) < 0)
                return -1;
        job->terminal_expected = true;
        if (open_input(job, -1, &files->in, err) < 0 || source_relay(job, &job->sources[0], -1, &files->out, err) < 0)
                return -1;
        if (setup->launch->terminal.errors_apart)
                return source_relay(job, &job->sources[1], setup->err_fd, &files->err, err);
        files->err = files->out;
        return 0;
}

/* ---- what is typed ---- */

/* Until the command runs, it is kept: another sandbox may be tried. */
static bool may_give(const struct job *job) {
        return job->typed && job->typed->fd >= 0 && !job->awaited;
}

static void unwatch_typed(struct job *job) {
        unwatch(job, job->typed->watched ? job->typed->fd : -1);
        job->typed->watched = false;
}

static void close_typed(struct job *job) {
        if (!job->typed)
                return;
        unwatch_typed(job);
        input_queue_close(job->typed);
}

static void watch_typed(struct job *job, bool wanted) {
        struct epoll_event event = { .events = EPOLLOUT, .data.ptr = job->epoll_data };

        if (job->epoll_fd < 0 || wanted == job->typed->watched)
                return;
        if (wanted)
                job->typed->watched = epoll_ctl(job->epoll_fd, EPOLL_CTL_ADD, job->typed->fd, &event) == 0;
        else
                unwatch_typed(job);
}

void job_give(struct job *job) {
        if (!may_give(job))
                return;
        if (input_queue_give(job->typed))
                watch_typed(job, input_queue_waiting(job->typed));
        else
                close_typed(job);
}

/* ---- a terminal that nobody sits at ---- */

/* Until it comes, the command has nothing. */
static int open_captured_terminal(struct job *job, const struct job_setup *setup, struct launch_files *files, struct err *err) {
        job->terminal_expected = true;
        job->sources[0].stream = setup->out;
        job->sources[0].terminal = true;
        if (open_input(job, -1, &files->in, err) < 0 || source_relay(job, &job->sources[0], -1, &files->out, err) < 0)
                return -1;
        files->err = files->out;
        return 0;
}

static int capture_terminal(struct job *job, int master, struct err *err) {
        FD_AUTO typed = -1;

        if (master < 0)
                return err_set(err, ERR_SYSTEM, "the terminal of the command could not be passed on");
        job->sources[0].fd = master;
        if (watch(job, master, job->epoll_data, err) < 0 || (job->typed && fd_dup(master, &typed, err) < 0))
                return -1;
        if (job->typed)
                input_queue_attach(job->typed, TAKE_FD(typed));
        return 0;
}

/* All who could write there are gone, so that there is little, and an end. */
static void drain_terminal(struct job_source *source) {
        for (int reads = 0; reads < TERMINAL_READS && stream_read(source->stream, source->fd) > 0; reads++)
                ;
}

int job_resize(struct job *job, unsigned rows, unsigned columns) {
        const struct winsize size = { .ws_row = (uint16_t)rows, .ws_col = (uint16_t)columns };

        return job->sources[0].terminal && job->sources[0].fd >= 0 ? ioctl(job->sources[0].fd, TIOCSWINSZ, &size) : -1;
}

bool job_hides_input(const struct job *job) {
        struct termios modes;

        return job->sources[0].terminal && job->sources[0].fd >= 0 && tcgetattr(job->sources[0].fd, &modes) == 0 &&
               modes.c_lflag & ICANON && !(modes.c_lflag & ECHO);
}

/* The command's ends; those that are not its caller's own are closed when it has them. */
static int open_sources(struct job *job, const struct job_setup *setup, struct launch_files *files, struct err *err) {
        struct job_source *out = &job->sources[0], *errors = &job->sources[1];

        if (setup->launch->terminal.wanted)
                return (setup->terminal ? open_terminal : open_captured_terminal)(job, setup, files, err);
        if (setup->typed ? input_queue_open(setup->typed, &files->in, err) < 0
                         : open_input(job, setup->in_fd, &files->in, err) < 0)
                return -1;
        if (setup->out ? source_capture(out, setup->out, &files->out, err) < 0
                       : source_relay(job, out, setup->out_fd, &files->out, err) < 0)
                return -1;
        if (setup->err)
                return source_capture(errors, setup->err, &files->err, err);
        if (setup->out || (out->relay && relay_same(setup->out_fd, setup->err_fd))) {
                files->err = files->out;
                return 0;
        }
        errors->apart = !relay_same(setup->out_fd, setup->err_fd);
        return source_relay(job, errors, setup->err_fd, &files->err, err);
}

static void close_ends(const struct job_setup *setup, const struct launch_files *files) {
        if (files->in != setup->in_fd)
                fd_close(files->in);
        if (files->out != setup->out_fd)
                fd_close(files->out);
        if (files->err != setup->err_fd && files->err != files->out)
                fd_close(files->err);
}

/* ---- the beginning ---- */

/* Does it tell something by a report that is worth waking up for? */
static bool reports(const struct job *job) {
        return job->awaited || job->launched.tells_end;
}

static bool hears_control(const struct job *job) {
        return job->covers.launch || job->egress_expected || job->terminal_expected;
}

static int watch_all(struct job *job, void *data, struct err *err) {
        if (watch(job, job->launched.pidfd, data, err) < 0 || watch(job, job->sources[0].fd, data, err) < 0 ||
            watch(job, job->sources[1].fd, data, err) < 0)
                return -1;
        if (hears_control(job) && watch(job, job->launched.control, data, err) < 0)
                return -1;
        return reports(job) ? watch(job, job->launched.report_fd, data, err) : 0;
}

static void ignore_control(struct job *job) {
        if (hears_control(job))
                unwatch(job, job->launched.control);
        unwatch(job, job->covers.helper);
        unwatch(job, job->covers.written);
        covers_end(&job->covers);
        job->covers.launch = NULL;
        job->egress_expected = job->terminal_expected = false;
}

static void drop_state(struct job *job) {
        fd_close(TAKE_FD(job->state_page));
        fd_close(TAKE_FD(job->notes));
}

static void give_up(struct job *job) {
        int status;

        ignore_control(job);
        drop_state(job);
        unwatch(job, job->launched.pidfd);
        unwatch(job, job->launched.report_fd);
        launch_kill(&job->launched);
        launch_end(&job->launched, &status, NULL);
        launch_reap(&job->launched);
}

static int start(const struct job_setup *setup, const struct launch_files *files, struct launched *ret, struct err *err) {
        if (setup->warm && warm_hand_over(setup->warm, setup->launch, files, ret) == 0)
                return 0;
        return launch_start(setup->launch, files, ret, err);
}

int job_start(struct job *job, const struct job_setup *setup, struct err *err) {
        struct launch_files files = { .in = -1, .out = setup->out_fd, .err = setup->err_fd };
        int result;

        *job = (struct job){
                .launched = { .pidfd = -1 },
                .sources = { { .fd = -1 }, { .fd = -1 } },
                .awaited = launch_announces(setup->launch),
                .quota = { .limit = setup->passed_max },
                .seen = setup->seen,
                .begun = time_monotonic(),
                .drain = setup->drain,
                .cancel_fd = setup->cancel_fd,
                .epoll_fd = setup->epoll_fd,
                .epoll_data = setup->epoll_data,
                .typed = setup->typed,
                .egress_expected = egress_expected(&setup->launch->egress),
                .egress = setup->egress,
                .egress_context = setup->egress_context,
                .state = setup->state,
                .state_page = -1,
                .notes = -1,
                .evidence = setup->evidence,
                .beside_fd = setup->beside_fd,
                .beside = setup->beside,
                .beside_context = setup->beside_context,
        };
        covers_init(&job->covers, setup->covers);
        job->deadline = setup->timeout ? job->begun + setup->timeout : 0;
        result = open_sources(job, setup, &files, err);
        if (result == 0)
                result = start(setup, &files, &job->launched, err);
        close_ends(setup, &files);
        if (result == 0 && watch_all(job, setup->epoll_data, err) < 0) {
                give_up(job);
                result = -1;
        }
        if (result < 0) {
                close_input(job);
                close_typed(job);
                for (size_t i = 0; i < 2; i++)
                        source_close(job, &job->sources[i]);
                close_terminal(job, 0);
        }
        return result;
}

/* ---- on the way ---- */

static struct pollfd source_poll(const struct job_source *source) {
        return source->relay ? relay_poll(source->relay) : (struct pollfd){ .fd = source->fd, .events = POLLIN };
}

static void poll_all(const struct job *job, struct pollfd fds[static FD_COUNT], int timeout) {
        fds[FD_END] = (struct pollfd){ .fd = job->launched.pidfd, .events = POLLIN };
        fds[FD_REPORT] = (struct pollfd){ .fd = reports(job) ? job->launched.report_fd : -1, .events = POLLIN };
        fds[FD_CANCEL] = (struct pollfd){ .fd = job->killed ? -1 : job->cancel_fd, .events = POLLIN };
        fds[FD_IN] = job->input ? relay_poll(job->input) : (struct pollfd){ .fd = -1 };
        fds[FD_TYPED] = (struct pollfd){ .fd = may_give(job) && input_queue_waiting(job->typed) ? job->typed->fd : -1,
                                         .events = POLLOUT };
        fds[FD_OUT] = source_poll(&job->sources[0]);
        fds[FD_ERR] = source_poll(&job->sources[1]);
        fds[FD_CONTROL] = (struct pollfd){ .fd = hears_control(job) ? job->launched.control : -1, .events = POLLIN };
        fds[FD_HELPER] = (struct pollfd){ .fd = job->covers.helper, .events = POLLIN };
        fds[FD_WRITTEN] = (struct pollfd){ .fd = job->covers.lost || job->covers.helper >= 0 ? -1 : job->covers.written,
                                           .events = POLLIN };
        if (job->terminal)
                terminal_link_poll(job->terminal, &fds[FD_TERMINAL]);
        fds[FD_BESIDE] = (struct pollfd){ .fd = job->beside_fd > 0 ? job->beside_fd : -1, .events = POLLIN };
        if (poll(fds, job->terminal ? FD_COUNT : FD_TERMINAL, timeout) < 0)
                for (size_t i = 0; i < FD_COUNT; i++)
                        fds[i].revents = 0;
}

int64_t job_deadline(const struct job *job) {
        int64_t due = job->deadline, covers = covers_deadline(&job->covers);

        if (job->killed)
                return 0;
        if (job->kill_at && (!due || job->kill_at < due))
                due = job->kill_at;
        return covers && (!due || covers < due) ? covers : due;
}

/* A terminal that nobody has any more is at its end by an error. */
static bool is_over(const struct job_source *source, ssize_t got) {
        return got == 0 || (got < 0 && source->terminal && errno == EIO);
}

static void source_step(const struct job *job, struct job_source *source, const struct pollfd *polled) {
        if (source->relay)
                relay_step(source->relay, polled);
        else if (source->fd >= 0 && polled->revents && is_over(source, stream_read(source->stream, source->fd)))
                source_close(job, source);
}

/* What is in the pipes when all of the command are gone. What somebody else writes there, who was handed its end, is not the
 * command's, and may have no end. */
static void source_drain(struct job *job, struct job_source *source) {
        int left = 0;
        ssize_t got;

        if (source->relay)
                relay_drain(source->relay, time_monotonic() + job->drain);
        if (source->fd >= 0 && source->terminal)
                drain_terminal(source);
        else if (source->fd >= 0 && ioctl(source->fd, FIONREAD, &left) < 0)
                left = 0;
        while (left > 0 && ((got = stream_read(source->stream, source->fd)) > 0 || (got < 0 && errno == EINTR)))
                left -= got > 0 ? (int)got : 0;
        source_close(job, source);
        if (source->stream)
                stream_end(source->stream);
}

static void force(struct job *job) {
        ignore_control(job);
        job->killed = true;
        launch_kill(&job->launched);
}

void job_cancel(struct job *job, int number, int64_t grace) {
        int64_t at = time_monotonic() + grace;

        if (job->killed)
                return;
        job->outcome.cancelled = true;
        if (number == SIGKILL) {
                force(job);
                return;
        }
        launch_signal(&job->launched, number);
        if (!job->kill_at || at < job->kill_at)
                job->kill_at = at;
}

void job_signal(struct job *job, int number) {
        launch_signal_foreground(&job->launched, number);
}

void job_hold(struct job *job, bool hold) {
        if (hold)
                covers_lose(&job->covers);
        launch_signal(&job->launched, hold ? SIGSTOP : SIGCONT);
}

void job_uncovered(struct job *job, const struct err *why) {
        job->uncovered = *why;
        job_cancel(job, SIGKILL, 0);
}

static void take_egress(const struct job *job, struct egress_sockets *sockets) {
        if (job->egress && sockets->count)
                job->egress(job->egress_context, sockets);
        else
                egress_sockets_close(sockets);
}

static void take_terminal(struct job *job, int master) {
        if (!job->terminal_expected) {
                fd_close(master);
                return;
        }
        job->terminal_expected = false;
        if ((job->terminal ? terminal_link_begin(job->terminal, master, &job->no_terminal)
                           : capture_terminal(job, master, &job->no_terminal)) < 0)
                job_cancel(job, SIGKILL, 0);
}

static void take_page(int *to, int page) {
        fd_close(*to);
        *to = page;
}

static void take_message(struct job *job, struct control_message *message) {
        switch (message->kind) {
        case CONTROL_EGRESS:
                take_egress(job, &message->egress);
                break;
        case CONTROL_TERMINAL:
                take_terminal(job, message->terminal);
                break;
        case CONTROL_STATE:
                take_page(&job->state_page, message->page);
                break;
        case CONTROL_EVIDENCE:
                take_page(&job->notes, message->page);
                break;
        case CONTROL_MOUNTS:
                covers_changed(&job->covers, message->namespace);
        }
}

/* What pid 1 of the sandbox tells. */
static void hear_control(struct job *job) {
        struct control_message message;
        int result;

        while (hears_control(job) && (result = control_receive(job->launched.control, &message)) != 0) {
                if (result < 0)
                        ignore_control(job); /* its process ends */
                else
                        take_message(job, &message);
        }
}

/* When the command has ended: nothing is to be connected or covered for it any more. */
static void take_late(struct job *job, struct control_message *message) {
        if (message->kind == CONTROL_EGRESS)
                egress_sockets_close(&message->egress);
        else if (message->kind == CONTROL_MOUNTS)
                fd_close(message->namespace);
        else
                take_message(job, message);
}

/* They came at the start; nobody was woken for them. */
static void read_state(struct job *job) {
        struct control_message message;

        while ((job->state || job->evidence) && job->launched.control >= 0 &&
               control_receive(job->launched.control, &message) > 0)
                take_late(job, &message);
        if (job->state && job->state_page >= 0 && !job->killed)
                state_page_read(job->state_page, job->state);
        if (job->evidence)
                *job->evidence = TAKE_FD(job->notes);
        drop_state(job);
}

static enum job_state finish(struct job *job, struct err *err) {
        int result;

        read_state(job);
        if (job->launched.group.version != CGROUP_NONE)
                job->outcome.memory_killed = cgroup_memory_kills(&job->launched.group) > 0;
        if (job->terminal_expected) /* of a command that has ended at once */
                hear_control(job);
        ignore_control(job);
        unwatch(job, job->launched.pidfd);
        unwatch(job, reports(job) ? job->launched.report_fd : -1);
        result = launch_end(&job->launched, &job->outcome.status, err);
        if (job->launched.facts & REPORT_OUT_OF_MEMORY)
                job->outcome.memory_killed = true;
        close_input(job);
        close_typed(job);
        for (size_t i = 0; i < 2; i++)
                source_drain(job, &job->sources[i]);
        close_terminal(job, time_monotonic() + job->drain);
        job->outcome.duration = time_monotonic() - job->begun;
        job->outcome.dropped = job->quota.dropped;
        return result < 0 ? JOB_FAILED : JOB_ENDED;
}

/* Takes in what is told. Returns whether that was the end. */
static bool hear(struct job *job) {
        uint32_t before = job->launched.said;

        if (job->launched.tells_end && launch_over(&job->launched))
                return true;
        if (job->awaited) {
                job->awaited = false;
                job->running = launch_started(&job->launched) == 0;
        }
        if (!job->launched.tells_end || job->launched.said == before || job->launched.said == REPORT_FAILED) {
                unwatch(job, job->launched.report_fd);
                job->launched.tells_end = false; /* its process ends by itself, and of that `pidfd` tells */
        }
        return false;
}

/* Fails closed: a command whose covers cannot be put back does not go on. */
static void see_to_covers(struct job *job, const struct pollfd fds[static FD_COUNT], int64_t now) {
        int helper = job->covers.helper;
        bool ended = fds[FD_HELPER].revents;
        struct err err = {};

        if (!job->covers.launch)
                return;
        if (fds[FD_WRITTEN].revents) { /* it tells again when all is back */
                unwatch(job, job->covers.written);
                covers_lose(&job->covers);
        }
        if (ended) {
                unwatch(job, helper);
                unwatch(job, job->covers.written);
        }
        if (covers_step(&job->covers, ended, now, &err) < 0 ||
            (ended && watch(job, job->covers.written, job->epoll_data, &err) < 0) ||
            (job->covers.helper != helper && watch(job, job->covers.helper, job->epoll_data, &err) < 0))
                job_uncovered(job, &err);
}

enum job_state job_turn(struct job *job, bool may_wait, struct err *err) {
        struct pollfd fds[FD_COUNT];
        bool over = false;
        int64_t now;

        poll_all(job, fds, may_wait ? time_left_ms(job_deadline(job)) : 0);
        now = time_monotonic();
        if (fds[FD_REPORT].revents)
                over = hear(job);
        if (job->typed && (input_queue_waiting(job->typed) || job->typed->ending)) /* also what waited for the start */
                job_give(job);
        if (fds[FD_BESIDE].revents)
                job->beside_fd = job->beside(job->beside_context);
        if (job->input)
                relay_step(job->input, &fds[FD_IN]);
        if (job->terminal)
                terminal_link_step(job->terminal, &fds[FD_TERMINAL]);
        source_step(job, &job->sources[0], &fds[FD_OUT]);
        source_step(job, &job->sources[1], &fds[FD_ERR]);
        if (over || fds[FD_END].revents)
                return finish(job, err);
        if (fds[FD_CONTROL].revents)
                hear_control(job);
        see_to_covers(job, fds, now);
        if (job->killed)
                return JOB_RUNS;
        if (fds[FD_CANCEL].revents) {
                job_cancel(job, SIGKILL, 0);
        } else if (job->deadline && now >= job->deadline) {
                job->outcome.timed_out = !job->outcome.cancelled;
                force(job);
        } else if (job->kill_at && now >= job->kill_at) {
                force(job);
        }
        return JOB_RUNS;
}

/* ---- one alone ---- */

int job_run(const struct job_setup *setup, struct outcome *ret, struct err *err) {
        enum job_state state = JOB_RUNS;
        struct job job;

        if (job_start(&job, setup, err) < 0)
                return -1;
        while (state == JOB_RUNS)
                state = job_turn(&job, true, err);
        launch_reap(&job.launched);
        *ret = job.outcome;
        return state == JOB_ENDED ? 0 : -1;
}
