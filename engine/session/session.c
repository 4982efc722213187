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
#include "engine/session/consent.h"
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
        input_queue_free(&shell->input);
        buf_free(&shell->typed.text);
        screen_free(shell->screen);
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
        shell_close_screen(shell);
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
                .input = from->background && from->input,
                .terminal = from->background && from->terminal ? BAILEY_TERMINAL_REQUIRED : BAILEY_TERMINAL_NONE,
                .fresh = from->fresh,
                .need_hosts = from->need_hosts ? strings_copy(from->need_hosts, &shell->arena) : NULL,
                .need_write = from->need_write ? strings_copy(from->need_write, &shell->arena) : NULL,
                .consent = from->consent,
                .refusal = keep_text(shell, from->refusal),
                .agreed = keep_text(shell, from->agreed),
        };
        shell->description = to->description;
        return (from->command && !to->command) || (from->argv && !to->argv) || (from->cwd && !to->cwd) ||
                               (from->description && !to->description) || (from->refusal && !to->refusal) ||
                               (from->agreed && !to->agreed) || (from->need_hosts && !to->need_hosts) ||
                               (from->need_write && !to->need_write) || (from->stage && !to->stage)
                       ? -1
                       : 0;
}

/* `own`: a policy for this command alone, which becomes its; NULL: the session's. */
static struct shell *shell_new(struct bailey_session *session, const struct bailey_run_options *options,
                               struct bailey_policy *own, struct err *err) {
        struct shell *shell = calloc(1, sizeof(*shell));
        struct bailey_run_options copy;

        if (!shell) {
                err_memory(err);
                return NULL;
        }
        arena_init(&shell->arena, 0);
        shell->source.turn = turn;
        shell->background = options->background;
        shell->has_input = options->background && (options->input || options->terminal);
        input_queue_init(&shell->input);
        buf_init(&shell->typed.text, TYPED_MAX);
        shell->begun = time_realtime();
        if (copy_options(session, shell, options, &copy) < 0 || !(shell->run = run_new(own ? own : session->policy, &copy)))
                err_memory(err);
        if (!shell->run || id_new(shell->id, err) < 0 || shell_open_screen(shell, options, err) < 0) {
                append(session, shell);
                forget(session, shell);
                return NULL;
        }
        shell->run->order.own = own;
        return shell;
}

/* What the session shares. Facts and warm sandboxes are those of its policy: a run with one of its own has none of them. */
static void lend(struct bailey_session *session, struct shell *shell) {
        struct run_lent *lent = &shell->run->lent;
        bool own = shell->run->order.own;

        lent->secrets = &session->secrets;
        lent->pool = own ? NULL : &session->pool;
        lent->tmp = &session->tmp;
        lent->state = &session->state;
        lent->gateway = &session->gateway;
        lent->kept = own ? NULL : &session->host_cache;
        lent->baselines = &session->baselines;
        lent->later = &session->later;
        lent->recovered = &session->recovered;
        lent->warned = session->warned;
        lent->accepted = session->accepted;
        lent->typed = shell->has_input ? &shell->input : NULL;
        lent->out_stream = &shell->out;
        lent->screen = shell->screen;
        lent->err_stream = shell->background && !shell->screen ? &shell->err : NULL;
        lent->epoll_fd = session->epoll_fd;
        lent->epoll_data = shell;
}

/* ---- with the user's consent ---- */

/* What it is to be started with, now that the user has agreed. */
struct agreed {
        struct bailey_run_options options;
        struct bailey_policy *policy; /* for it alone; NULL: the session's */
        const char *notice;
        struct err unsaved;
};

/* Is it still the question that was asked? Much may have happened since. */
static int agree(struct bailey_session *session, const struct bailey_run_options *options, struct agreed *ret,
                 struct err *err) {
        struct consent consent;
        int result = consent_find(session, options, &consent, err);

        if (result >= 0 && (result == 0 || !options->agreed || strcmp(options->agreed, consent.digest) != 0))
                result = err_set(err, ERR_CHANGED,
                                 "not run: what the user has agreed to is not what the command would do now; "
                                 "run it again, and the user is asked again");
        if (result > 0 && options->consent == BAILEY_CONSENT_ONCE) {
                ret->policy = consent.policy;
                consent.policy = NULL;
                ret->notice = "the user has agreed to this command";
        } else if (result > 0) {
                bool offered = options->consent == BAILEY_CONSENT_ALWAYS ? consent.always : consent.session;

                ret->options.consent = BAILEY_CONSENT_NONE;
                ret->options.need_hosts = ret->options.need_write = NULL;
                ret->notice = "the user has agreed to this for the rest of the session";
                result = offered ? consent_keep(session, &consent, err)
                                 : err_set(err, ERR_INVALID, "the user cannot agree to this for more than one command");
        }
        if (result >= 0 && options->consent == BAILEY_CONSENT_ALWAYS) {
                ret->notice = "the user has agreed to this for good";
                consent_save(session, &consent, &ret->unsaved);
        }
        consent_free(&consent);
        return result < 0 ? -1 : 0;
}

static void tell_agreed(struct shell *shell, const struct agreed *agreed) {
        if (agreed->unsaved.code)
                run_notice(shell->run, "the user has agreed to this, but it could not be saved: %s", agreed->unsaved.msg);
        else if (agreed->notice)
                run_notice(shell->run, "%s", agreed->notice);
}

int bailey_start(struct bailey_session *session, const struct bailey_run_options *options, char ret_id[BAILEY_ID_SIZE],
                 char *ret_error, size_t error_size) {
        int64_t most = session->policy->policy->run.max_shells;
        struct agreed agreed = { .options = *options };
        struct shell *shell = NULL;
        const char *command;
        struct err err = {};

        if (options->background && count_alive(session) >= most)
                err_set(&err, ERR_REFUSED, "%lld background shells are running, the maximum of run.max_shells: kill one first",
                        (long long)most);
        else if (options->consent < BAILEY_CONSENT_ONCE || agree(session, options, &agreed, &err) == 0)
                shell = shell_new(session, &agreed.options, agreed.policy, &err);
        if (!shell) {
                bailey_policy_free(agreed.policy);
                return config_hand_error(&err, ret_error, error_size);
        }
        lend(session, shell);
        tell_agreed(shell, &agreed);
        append(session, shell);
        run_begin(shell->run);
        if (shell->run->judged.to_ask) {
                forget(session, shell);
                return 1;
        }
        if ((command = arena_dup(&shell->arena, shell->run->judged.command)))
                shell->command = str_from(command, shell->run->judged.command.len);
        if (shell->run->over)
                note_end(session, shell);
        session_arm(session);
        memcpy(ret_id, shell->id, BAILEY_ID_SIZE);
        return 0;
}
