#include "engine/session/session.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/config.h"
#include "policy/files.h"

enum { EVENTS_AT_ONCE = 64, LATER_MAX = 64 << 10 };

/* Others that write records are waited for in the one loop that everybody waits for. */
#define RECORD_PATIENCE TIME_SECOND
#define RECORDS_AT_END TIME_SECOND /* all of them */

static void forget(struct bailey_session *session, struct shell *shell);
static void left(struct bailey_session *session, struct source *source);

/* ---- beginning and end ---- */

static int open_loop(struct bailey_session *session, struct err *err) {
        struct epoll_event event = { .events = EPOLLIN };

        session->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
        session->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        session->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (session->epoll_fd < 0 || session->timer_fd < 0 || session->news_fd < 0 ||
            epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, session->timer_fd, &event) < 0 ||
            epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, session->news_fd, &event) < 0)
                return err_sys(err, "a session cannot wait for commands");
        return 0;
}

static void read_gateway(struct bailey_session *session, struct source *source) {
        (void)source;
        gateway_link_read(&session->gateway);
}

int bailey_session_new(const struct bailey_policy *policy, const char *const *environment, struct bailey_session **ret,
                       char *ret_error, size_t error_size) {
        struct bailey_session *session = calloc(1, sizeof(*session));
        struct err err = {};

        if (!session) {
                err_memory(&err);
                return config_hand_error(&err, ret_error, error_size);
        }
        session->given = session->policy = policy;
        audit_hurry(policy->audit, RECORD_PATIENCE, 0);
        session->begun = time_realtime();
        session->epoll_fd = session->timer_fd = session->news_fd = -1;
        arena_init(&session->arena, 0);
        secrets_init(&session->secrets);
        buf_init(&session->later, LATER_MAX);
        pool_init(&session->pool);
        session_tmp_init(&session->tmp);
        session_state_init(&session->state);
        session->gateway = (struct gateway_link)GATEWAY_LINK_NONE;
        session->environment = strings_copy(environment, &session->arena);
        if (!session->environment)
                err_memory(&err);
        if (!session->environment || open_loop(session, &err) < 0) {
                bailey_session_free(session);
                return config_hand_error(&err, ret_error, error_size);
        }
        session->pool.epoll_fd = session->gateway.epoll_fd = session->epoll_fd;
        session->gateway_source.turn = read_gateway;
        session->gateway.epoll_data = &session->gateway_source;
        *ret = session;
        return 0;
}

void bailey_session_free(struct bailey_session *session) {
        struct directory state;
        struct audit *audit;

        if (!session)
                return;
        audit = session->given->audit;
        audit_hurry(audit, RECORD_PATIENCE, time_monotonic() + RECORDS_AT_END);
        for (struct shell *shell = session->first; shell; shell = shell->next)
                if (shell->run && !shell->run->over)
                        job_cancel(&shell->run->job, SIGKILL, 0);
        for (struct shell *shell = session->first, *next; shell; shell = next) {
                next = shell->next;
                while (shell->run && !shell->run->over)
                        run_turn(shell->run, true);
                forget(session, shell);
        }
        pool_free(&session->pool);
        session_tmp_free(&session->tmp);
        session_state_free(&session->state);
        gateway_link_close(&session->gateway);
        if (session->host_cache)
                host_cache_leave(session->host_cache);
        baseline_free(&session->baselines, directory_state(session->environment, &state) ? state.path : NULL);
        for (struct leaving *leaving = session->leaving, *next; leaving; leaving = next) {
                next = leaving->next;
                left(session, &leaving->source);
        }
        control_close(session);
        while (session->policy != session->given) {
                struct bailey_policy *derived = (struct bailey_policy *)session->policy;

                session->policy = derived->before;
                bailey_policy_free(derived);
        }
        fd_close(session->epoll_fd);
        fd_close(session->timer_fd);
        fd_close(session->news_fd);
        secrets_free(&session->secrets);
        buf_free(&session->later);
        arena_free(&session->arena);
        free(session);
        audit_hurry(audit, RECORD_PATIENCE, 0);
}

int bailey_session_fd(const struct bailey_session *session) {
        return session->epoll_fd;
}

const struct bailey_policy *bailey_session_policy(const struct bailey_session *session) {
        return session->policy;
}

/* ---- the list ---- */

struct shell *session_find(struct bailey_session *session, const char *id) {
        for (struct shell *shell = session->last; shell; shell = shell->previous)
                if (strcmp(shell->id, id) == 0)
                        return shell;
        return NULL;
}

static void append(struct bailey_session *session, struct shell *shell) {
        shell->previous = session->last;
        *(session->last ? &session->last->next : &session->first) = shell;
        session->last = shell;
}

/* Is there something to take? */
static void show_news(struct bailey_session *session) {
        bool news = session->first_news;
        eventfd_t ignored;

        if (news == session->news_told)
                return;
        if ((news ? eventfd_write(session->news_fd, 1) : eventfd_read(session->news_fd, &ignored)) == 0)
                session->news_told = news;
}

static void forget_news(struct bailey_session *session, struct shell *shell) {
        struct shell **link = &session->first_news, *before = NULL;

        for (; *link && *link != shell; link = &(*link)->next_news)
                before = *link;
        if (!*link)
                return;
        *link = shell->next_news;
        if (session->last_news == shell)
                session->last_news = before;
        show_news(session);
}

static void drop_run(struct shell *shell) {
        if (shell->run)
                run_free(shell->run);
        shell->run = NULL;
}

static void forget(struct bailey_session *session, struct shell *shell) {
        if (shell->news)
                forget_news(session, shell);
        *(shell->previous ? &shell->previous->next : &session->first) = shell->next;
        *(shell->next ? &shell->next->previous : &session->last) = shell->previous;
        drop_run(shell);
        stream_free(&shell->out);
        stream_free(&shell->err);
        arena_free(&shell->arena);
        free(shell);
}

/* ---- news ---- */

static void tell(struct bailey_session *session, struct shell *shell, enum bailey_event_kind kind) {
        if (!shell->news) {
                shell->next_news = NULL;
                *(session->last_news ? &session->last_news->next_news : &session->first_news) = shell;
                session->last_news = shell;
        }
        shell->news |= 1U << kind;
}

int bailey_session_event(struct bailey_session *session, struct bailey_event *ret) {
        struct shell *shell = session->first_news;
        enum bailey_event_kind kind = BAILEY_EVENT_STARTED;

        if (!shell)
                return 0;
        while (!(shell->news & 1U << kind))
                kind++;
        ret->kind = kind;
        memcpy(ret->id, shell->id, sizeof(ret->id));
        shell->news &= ~(1U << kind);
        if (!shell->news) {
                session->first_news = shell->next_news;
                if (!session->first_news)
                        session->last_news = NULL;
                show_news(session);
        }
        return 1;
}

/* ---- what has ended ---- */

static const enum bailey_status statuses[] = {
        [BAILEY_EXITED] = BAILEY_STATUS_COMPLETED, [BAILEY_TIMED_OUT] = BAILEY_STATUS_TIMED_OUT,
        [BAILEY_CANCELLED] = BAILEY_STATUS_KILLED, [BAILEY_REFUSED] = BAILEY_STATUS_FAILED,
        [BAILEY_NOT_FOUND] = BAILEY_STATUS_FAILED, [BAILEY_FAILED] = BAILEY_STATUS_FAILED,
        [BAILEY_PLANNED] = BAILEY_STATUS_FAILED,
};

static const char *keep_text(struct shell *shell, const char *text) {
        return text ? arena_dup(&shell->arena, str_z(text)) : NULL;
}

static size_t output_bytes(const struct shell *shell) {
        return capture_kept(&shell->out.capture) + capture_kept(&shell->err.capture);
}

/* The newest ones are kept, for a while; their output, as far as there is room. Only thousands of them, or commands of a
 * megabyte, use that up by themselves. */
static void forget_old(struct bailey_session *session) {
        const struct run_policy *limits = &session->policy->policy->run;
        int64_t now = time_monotonic();
        size_t count = 0, texts = 0, output = 0;

        for (struct shell *shell = session->last, *before; shell; shell = before) {
                before = shell->previous;
                if (!shell->background || !shell->ended || shell->news)
                        continue;
                texts += shell->arena.reserved;
                output += output_bytes(shell);
                if (count++ >= (size_t)limits->kept_shells || texts > KEPT_BYTES_MAX ||
                    now - shell->ended >= limits->keep_shells_for) {
                        forget(session, shell);
                } else if (texts + output > KEPT_BYTES_MAX) {
                        stream_drop(&shell->out);
                        stream_drop(&shell->err);
                }
        }
}

static void left(struct bailey_session *session, struct source *source) {
        struct leaving *leaving = (struct leaving *)source;

        /* Before it is closed: as in run/job.c. */
        epoll_ctl(session->epoll_fd, EPOLL_CTL_DEL, leaving->launched.pidfd, NULL);
        launch_reap(&leaving->launched);
        *(leaving->previous ? &leaving->previous->next : &session->leaving) = leaving->next;
        if (leaving->next)
                leaving->next->previous = leaving->previous;
        free(leaving);
}

/* The caller does not wait until the sandbox is torn down. */
static void leave(struct bailey_session *session, struct launched *launched) {
        struct leaving *leaving = launched->pidfd < 0 ? NULL : malloc(sizeof(*leaving));
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = leaving };

        if (!leaving) {
                launch_reap(launched);
                return;
        }
        *leaving = (struct leaving){ .source = { left }, .next = session->leaving, .launched = *launched };
        launched->pidfd = -1;
        if (session->leaving)
                session->leaving->previous = leaving;
        session->leaving = leaving;
        if (epoll_ctl(session->epoll_fd, EPOLL_CTL_ADD, leaving->launched.pidfd, &event) < 0)
                left(session, &leaving->source);
}

static void note_end(struct bailey_session *session, struct shell *shell) {
        const struct bailey_outcome *out = &shell->run->result.out;

        leave(session, &shell->run->job.launched);
        stream_settle(&shell->out);
        stream_settle(&shell->err);
        shell->ended = time_monotonic();
        shell->status = statuses[out->end];
        shell->exit_code = out->exit_code;
        shell->duration_ms = out->duration_ms;
        shell->message = keep_text(shell, out->message);
        shell->explanation = keep_text(shell, out->explanation);
        if (shell->background && shell->status != BAILEY_STATUS_FAILED)
                drop_run(shell);
        tell(session, shell, BAILEY_EVENT_ENDED);
}

int bailey_take(struct bailey_session *session, const char *id, struct bailey_outcome *ret) {
        struct shell *shell = session_find(session, id);
        int result;

        if (!shell || (shell->ended && !shell->run))
                return -1;
        if (!shell->ended)
                return 0;
        result = run_hand_out(shell->run, ret);
        shell->run = NULL;
        forget(session, shell);
        return result < 0 ? -1 : 1;
}

/* ---- on the way ---- */

static void turn(struct bailey_session *session, struct source *source) {
        struct shell *shell = (struct shell *)source;
        struct run *run = shell->run;
        bool started, over;

        if (!run || run->over)
                return;
        started = run->told_started;
        over = run_turn(run, false);
        if (shell->background && run->told_started && !started)
                tell(session, shell, BAILEY_EVENT_STARTED);
        /* What it wrote may be here before the word that it has started. */
        if (shell->out.came + shell->err.came != shell->told && (!run->job.awaited || over)) {
                shell->told = shell->out.came + shell->err.came;
                tell(session, shell, BAILEY_EVENT_OUTPUT);
        }
        if (over)
                note_end(session, shell);
}

void session_arm(struct bailey_session *session) {
        int64_t keep = session->policy->policy->run.keep_shells_for, due = control_deadline(session->control);
        int64_t pool_at = pool_deadline(&session->pool), ports_at = shell_ports_deadline(&session->gateway);

        for (const struct shell *shell = session->first; shell; shell = shell->next) {
                int64_t at = shell->ended ? shell->background ? shell->ended + keep : 0 : job_deadline(&shell->run->job);

                if (at && (!due || at < due))
                        due = at;
        }
        if (pool_at && (!due || pool_at < due))
                due = pool_at;
        if (ports_at && (!due || ports_at < due))
                due = ports_at;
        show_news(session);
        if (due && (!session->timer || due < session->timer)) {
                struct itimerspec when = { .it_value = { due / TIME_SECOND, due % TIME_SECOND } };

                timerfd_settime(session->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
                session->timer = due;
        }
}

void bailey_session_step(struct bailey_session *session) {
        struct epoll_event events[EVENTS_AT_ONCE];
        int count = epoll_wait(session->epoll_fd, events, EVENTS_AT_ONCE, 0);
        int64_t now = time_monotonic();
        uint64_t expirations;

        if (read(session->timer_fd, &expirations, sizeof(expirations)) > 0)
                session->timer = 0;
        for (int i = 0; i < count; i++)
                if (events[i].data.ptr) {
                        struct source *source = events[i].data.ptr;

                        source->turn(session, source);
                }
        for (struct shell *shell = session->first; shell; shell = shell->next) {
                int64_t due = shell->ended ? 0 : job_deadline(&shell->run->job);

                if (due && due <= now)
                        turn(session, &shell->source);
        }
        control_due(session, now);
        pool_due(&session->pool, now);
        shell_ports_due(&session->gateway, now);
        forget_old(session);
        session_arm(session);
}

/* ---- starting ---- */

static int count_alive(const struct bailey_session *session) {
        int count = 0;

        for (const struct shell *shell = session->first; shell; shell = shell->next)
                count += shell->background && !shell->ended;
        return count;
}

/* What the caller may forget as soon as bailey_start() is back. */
static int copy_options(const struct bailey_session *session, struct shell *shell, const struct bailey_run_options *from,
                        struct bailey_run_options *to) {
        *to = (struct bailey_run_options){
                .command = keep_text(shell, from->command),
                .argv = from->argv ? strings_copy(from->argv, &shell->arena) : NULL,
                .cwd = keep_text(shell, from->cwd),
                .description = keep_text(shell, from->description),
                .stage = keep_text(shell, from->stage),
                .environment = session->environment,
                .timeout_ms = from->timeout_ms,
                .capture = 1,
                .out_fd = -1,
                .err_fd = -1,
                .cancel_fd = -1,
                .status_fd = -1,
                .force = from->force,
                .background = from->background,
                .fresh = from->fresh,
        };
        shell->description = to->description;
        return (from->command && !to->command) || (from->argv && !to->argv) || (from->cwd && !to->cwd) ||
                               (from->description && !to->description) || (from->stage && !to->stage)
                       ? -1
                       : 0;
}

static struct shell *shell_new(struct bailey_session *session, const struct bailey_run_options *options, struct err *err) {
        struct shell *shell = calloc(1, sizeof(*shell));
        struct bailey_run_options copy;

        if (!shell) {
                err_memory(err);
                return NULL;
        }
        arena_init(&shell->arena, 0);
        shell->source.turn = turn;
        shell->background = options->background;
        shell->begun = time_realtime();
        if (copy_options(session, shell, options, &copy) == 0)
                shell->run = run_new(session->policy, &copy);
        if (!shell->run || id_new(shell->id, err) < 0) {
                if (!shell->run)
                        err_memory(err);
                append(session, shell);
                forget(session, shell);
                return NULL;
        }
        return shell;
}

int bailey_start(struct bailey_session *session, const struct bailey_run_options *options, char ret_id[BAILEY_ID_SIZE],
                 char *ret_error, size_t error_size) {
        int64_t most = session->policy->policy->run.max_shells;
        struct shell *shell = NULL;
        const char *command;
        struct err err = {};

        if (options->background && count_alive(session) >= most)
                err_set(&err, ERR_REFUSED, "%lld background shells are running, the maximum of run.max_shells: kill one first",
                        (long long)most);
        else
                shell = shell_new(session, options, &err);
        if (!shell)
                return config_hand_error(&err, ret_error, error_size);
        shell->run->lent.secrets = &session->secrets;
        shell->run->lent.pool = &session->pool;
        shell->run->lent.tmp = &session->tmp;
        shell->run->lent.state = &session->state;
        shell->run->lent.gateway = &session->gateway;
        shell->run->lent.kept = &session->host_cache;
        shell->run->lent.baselines = &session->baselines;
        shell->run->lent.later = &session->later;
        shell->run->lent.recovered = &session->recovered;
        shell->run->lent.out_stream = &shell->out;
        shell->run->lent.err_stream = shell->background ? &shell->err : NULL;
        shell->run->lent.epoll_fd = session->epoll_fd;
        shell->run->lent.epoll_data = shell;
        append(session, shell);
        run_begin(shell->run);
        if ((command = arena_dup(&shell->arena, shell->run->judged.command)))
                shell->command = str_from(command, shell->run->judged.command.len);
        if (shell->run->over)
                note_end(session, shell);
        session_arm(session);
        memcpy(ret_id, shell->id, BAILEY_ID_SIZE);
        return 0;
}
