#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "gateway/limits.h"
#include "gateway/loop.h"
#include "gateway/protocol.h"
#include "gateway/question.h"
#include "gateway/relay.h"
#include "launch/files.h"

enum {
        SETS_BATCH = 64,
        EVENTS_AT_ONCE = 4,    /* a connect() takes 4 ms where most local ports are in use */
        TIMERS_BATCH = 16,     /* each may reset a connection, which takes 0.1 ms */
        REQUESTS_BATCH = 1024, /* more than the socket holds: none of them may wait behind an event */
        RESUME_MS = 50,        /* how often those are looked at that wait for room */
        OPEN_MAX = 65536,
};

/* ---- the epoll set ---- */

int loop_watch(int set, struct watch *watch, uint32_t events) {
        struct epoll_event event = { .events = events, .data.ptr = watch };

        watch->set = set;
        return epoll_ctl(set, EPOLL_CTL_ADD, watch->fd, &event);
}

void loop_change(struct watch *watch, uint32_t events) {
        struct epoll_event event = { .events = events, .data.ptr = watch };

        epoll_ctl(watch->set, EPOLL_CTL_MOD, watch->fd, &event);
}

/* The engine may have a copy of a listener, so that closing ours would not take it out of the set. */
void loop_unwatch(struct watch *watch) {
        epoll_ctl(watch->set, EPOLL_CTL_DEL, watch->fd, NULL);
        close(watch->fd);
        watch->fd = -1;
}

void loop_files_short(struct gateway *gateway, struct listener *listener) {
        gateway->files_short_until = time_monotonic() + RESUME_MS * (TIME_SECOND / 1000);
        command_pause(listener);
}

/* ---- timers ---- */

void timer_stop(struct timer *timer) {
        struct timer_queue *queue = timer->queue;

        if (!queue)
                return;
        *(timer->previous ? &timer->previous->next : &queue->first) = timer->next;
        *(timer->next ? &timer->next->previous : &queue->last) = timer->previous;
        timer->queue = NULL;
}

void timer_start(struct timer_queue *queue, struct timer *timer) {
        timer_stop(timer);
        *timer = (struct timer){ .previous = queue->last, .queue = queue, .deadline = time_monotonic() + queue->duration };
        *(queue->last ? &queue->last->next : &queue->first) = timer;
        queue->last = timer;
}

static void run_timers(struct gateway *gateway, struct timer_queue *queue, int64_t now) {
        for (int i = 0; i < TIMERS_BATCH && queue->first && queue->first->deadline <= now; i++) {
                struct timer *timer = queue->first;

                timer_stop(timer);
                queue->expired(gateway, timer);
        }
}

static int sooner(int a, int b) {
        return a < 0 ? b : b < 0 || a < b ? a : b;
}

/* Returns for how long there is nothing to do, as epoll_wait() takes it. */
static int run_all_timers(struct gateway *gateway) {
        struct timer_queue *queues[] = { &gateway->first_words, &gateway->dials, &gateway->closing, &gateway->idle_streams,
                                         &gateway->lookups };
        int wait = resolver_turn(gateway->resolver);
        int64_t now = time_monotonic();
        struct command *ending = NULL;

        for (size_t i = 0; i < sizeof(queues) / sizeof(queues[0]); i++) {
                run_timers(gateway, queues[i], now);
                if (queues[i]->first)
                        wait = sooner(wait, time_left_ms(queues[i]->first->deadline));
        }
        for (struct command *command = gateway->commands; command; command = command->next) {
                if (command->ending && !command->asked)
                        ending = command;
                command_resume(gateway, command);
                if (command->throttled)
                        wait = sooner(wait, RESUME_MS);
                if (command->unfinished)
                        wait = 0;
        }
        if (!ending)
                return wait;
        command_end_some(gateway, ending); /* last: the list may be another one then */
        return 0;
}

/* ---- the engine ---- */

/* Its length; 0: none now. Ends the process with the engine. */
static size_t receive(struct gateway *gateway, void *bytes, size_t size, int files[static FDS_MAX], size_t *ret_count) {
        ssize_t len = fds_receive(gateway->engine.fd, bytes, size, files, ret_count, MSG_DONTWAIT);

        if (len < 0 && errno == EAGAIN)
                return 0;
        if (len <= 0)
                _exit(0);
        return (size_t)len;
}

static void take_requests(struct gateway *gateway) {
        for (int i = 0; i < REQUESTS_BATCH; i++) {
                int files[FDS_MAX];
                size_t count, len = receive(gateway, gateway->buffer, LOOP_BUFFER, files, &count);

                if (!len)
                        return;
                command_request(gateway, gateway->buffer, len, files, count);
                for (size_t k = 0; k < count; k++)
                        fd_close(files[k]);
        }
}

static void engine_ready(struct gateway *gateway, struct watch *watch, uint32_t events) {
        (void)watch;
        if (events & EPOLLOUT)
                event_flush(gateway);
        take_requests(gateway);
}

static void outside_ended(struct gateway *gateway, struct watch *watch, uint32_t events) {
        (void)gateway;
        (void)watch;
        (void)events;
        _exit(0);
}

/* ---- turns ---- */

static int call_ready(struct gateway *gateway, int set, struct epoll_event *events, int max, int wait) {
        int count = epoll_wait(set, events, max, wait);

        if (count > 0 && set != gateway->epoll)
                take_requests(gateway); /* a policy counts for all that came after it */
        for (int i = 0; i < count; i++) {
                struct watch *watch = events[i].data.ptr;

                if (watch->fd >= 0) /* it may have been closed by one before it */
                        watch->ready(gateway, watch, events[i].events);
        }
        return count;
}

/* What is left makes the set ready again, behind those of other commands. Few at a time, as they cannot be given back. */
static void command_ready(struct gateway *gateway, struct watch *watch, uint32_t ready) {
        struct command *command = CONTAINER_OF(watch, struct command, set);
        struct epoll_event events[EVENTS_AT_ONCE];

        (void)ready;
        command->turn_until = time_monotonic() + COMMAND_TURN_US * (TIME_SECOND / 1000000);
        while (call_ready(gateway, watch->fd, events, EVENTS_AT_ONCE, 0) == EVENTS_AT_ONCE &&
               time_monotonic() < command->turn_until)
                ;
}

int loop_open_set(struct gateway *gateway, struct command *command, struct err *err) {
        command->set = (struct watch){ .ready = command_ready, .fd = epoll_create1(EPOLL_CLOEXEC) };
        if (command->set.fd < 0 || loop_watch(gateway->epoll, &command->set, EPOLLIN) < 0)
                return err_sys(err, "epoll");
        return 0;
}

/* ---- the beginning ---- */

/* Nothing of the engine's files is left but these three, which become 3, 4 and 5. */
static int keep_files(const struct gateway_options *options, int *ret_socket, int *ret_outside, struct err *err) {
        int socket = fcntl(options->socket, F_DUPFD_CLOEXEC, 10), outside = fcntl(options->outside, F_DUPFD_CLOEXEC, 10);
        int alive = options->alive < 0 ? -1 : fcntl(options->alive, F_DUPFD_CLOEXEC, 10);
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);

        if (socket < 0 || outside < 0 || null < 0 || (options->alive >= 0 && alive < 0))
                return err_sys(err, "files");
        for (int fd = 0; fd < (options->keep_stderr ? 2 : 3); fd++)
                if (dup2(null, fd) < 0)
                        return err_sys(err, "files");
        if (dup3(socket, 3, O_CLOEXEC) < 0 || dup3(outside, 4, O_CLOEXEC) < 0)
                return err_sys(err, "files");
        if (alive >= 0 && (dup3(alive, 5, O_CLOEXEC) < 0 || limits_end_with_pipe(5, err) < 0))
                return err_sys(err, "files");
        if (syscall(SYS_close_range, alive >= 0 ? 6 : 5, ~0U, 0) < 0)
                return err_sys(err, "closing files");
        *ret_socket = 3;
        *ret_outside = 4;
        return 0;
}

static void set_queues(struct gateway *gateway) {
        gateway->first_words = (struct timer_queue){ .duration = 10 * TIME_SECOND, .expired = connection_words_expired };
        gateway->dials = (struct timer_queue){ .duration = 10 * TIME_SECOND, .expired = connection_dial_expired };
        gateway->closing = (struct timer_queue){ .duration = 2 * TIME_SECOND, .expired = connection_closing_expired };
        gateway->idle_streams = (struct timer_queue){ .duration = 10 * TIME_SECOND, .expired = question_stream_expired };
        gateway->lookups = (struct timer_queue){ .duration = TIME_SECOND, .expired = resolver_expired };
}

static int open_all(struct gateway *gateway, const struct gateway_options *options, struct err *err) {
        gateway->buffer = malloc(LOOP_BUFFER);
        gateway->outbox = malloc(LOOP_OUTBOX * sizeof(*gateway->outbox));
        gateway->pipes = calloc(1, sizeof(*gateway->pipes));
        if (!gateway->buffer || !gateway->outbox || !gateway->pipes)
                return err_memory(err);
        gateway->epoll = epoll_create1(EPOLL_CLOEXEC);
        if (gateway->epoll < 0 || loop_watch(gateway->epoll, &gateway->engine, EPOLLIN) < 0 ||
            loop_watch(gateway->epoll, &gateway->outside, EPOLLIN) < 0)
                return err_sys(err, "epoll");
        if (gethostname(gateway->hostname, sizeof(gateway->hostname) - 1) < 0)
                gateway->hostname[0] = '\0';
        if (own_open(gateway, err) < 0 || resolver_open(gateway, options->resolv_conf, &gateway->resolver, err) < 0)
                return -1;
        return confine(options->resolv_conf ? options->resolv_conf : "/etc/resolv.conf", err);
}

static void serve(struct gateway *gateway) {
        struct epoll_event events[SETS_BATCH];

        for (;;) {
                int wait = run_all_timers(gateway);

                connection_free_dead(gateway);
                question_free_dead(gateway);
                command_free_dead(gateway);
                if (call_ready(gateway, gateway->epoll, events, SETS_BATCH, wait) < 0 && errno != EINTR)
                        _exit(1);
                for (struct command *command = gateway->commands; command; command = command->next)
                        connection_continue(gateway, command);
        }
}

_Noreturn void gateway_run(const struct gateway_options *options) {
        struct gateway *gateway = calloc(1, sizeof(*gateway)); /* the library keeps nothing in memory of its own */
        struct gateway_event event = { .kind = GATEWAY_READY };
        struct err err = {};

        if (!gateway)
                _exit(1);
        gateway->tls.fd = -1;
        gateway->engine.ready = engine_ready;
        gateway->outside.ready = outside_ended;
        limits_signals();
        prctl(PR_SET_NAME, "bailey-gateway");
        if (keep_files(options, &gateway->engine.fd, &gateway->outside.fd, &err) < 0)
                _exit(1);
        gateway->open_max = limits_connections(LOOP_FILES_SPARE, OPEN_MAX);
        set_queues(gateway);
        if (open_all(gateway, options, &err) < 0) {
                event.kind = GATEWAY_FAILED;
                snprintf(event.text, sizeof(event.text), "%s", err.msg);
                event_try(gateway, &event);
                _exit(1);
        }
        event_send(gateway, &event);
        serve(gateway);
        _exit(1);
}
