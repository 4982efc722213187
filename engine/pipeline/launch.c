/*
 * Tries the backends in order. If one fails before the command has started, that is reported, and the next one is tried, unless
 * the failure would be the same, or worse, with all of them.
 */
#include "engine/pipeline/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/pipeline/containers.h"
#include "engine/pipeline/credentials.h"
#include "engine/pipeline/record.h"
#include "launch/cgroup_shared.h"
#include "launch/mount.h"
#include "run/terminal_link.h"

enum { KEY_MAX = 4 << 20 }; /* of what a sandbox is made of */

/* The command itself is at fault, not the sandbox; or a process changes paths of the plan, perhaps to get another backend. */
static bool is_final(const struct err *err) {
        return err->code == ERR_NOT_FOUND || err->code == ERR_INVALID || err->code == ERR_CHANGED;
}

/* This process or the machine has run out of something: the backend is not at fault, and a weaker one must not be used. */
static bool is_shortage(const struct err *err) {
        return err->sys == EMFILE || err->sys == ENFILE || err->sys == ENOMEM || err->sys == EAGAIN;
}

/* What only one process has, as a directory or a container of its own, cannot be had by the next one. */
bool run_keeps_tmp(const struct run *run, const struct backend *backend) {
        if (run->lent.tmp && run->lent.tmp->named.name && (backend->own_tmp || backend->engines))
                return false;
        return backend_keeps_tmp(backend, run->order.policy);
}

static bool wants_session_tmp(const struct run *run, const struct backend *backend) {
        return run->lent.tmp && !backend->engines && run_keeps_tmp(run, backend);
}

/* Its own, or that of the session. */
static int get_tmpdir(struct run *run, const struct backend *backend, const char **ret_path, struct err *err) {
        struct run_attempt *attempt = &run->attempt;

        if (wants_session_tmp(run, backend))
                return session_tmp_directory(run->lent.tmp, ret_path, err);
        if (attempt->tmpdir.fd < 0 && tmpdir_make(&attempt->tmpdir, &run->arena, &attempt->tmpdir_path, err) < 0)
                return -1;
        *ret_path = attempt->tmpdir_path;
        return 0;
}

static int set_variable(struct run *run, const char *name, const char *value, struct err *err) {
        const char *const *envp = run->attempt.request.envp;
        const char **longer;
        size_t count = 0, kept = 0, length = strlen(name);

        while (envp[count])
                count++;
        longer = arena_alloc(&run->arena, (count + 2) * sizeof(*longer));
        if (!longer)
                return err_memory(err);
        for (size_t i = 0; i < count; i++)
                if (strncmp(envp[i], name, length) != 0 || envp[i][length] != '=')
                        longer[kept++] = envp[i];
        longer[kept] = run_text(run, "%s=%s", name, value);
        run->attempt.request.envp = longer;
        return longer[kept] ? 0 : err_memory(err);
}

/* Where /tmp is the host's, programs are led to a private one. */
static int set_tmpdir(struct run *run, const struct backend *backend, struct err *err) {
        if (get_tmpdir(run, backend, &run->attempt.host.tmpdir, err) < 0)
                return -1;
        return set_variable(run, "TMPDIR", run->attempt.host.tmpdir, err);
}

/* Where it is private anyway. */
static int share_tmp(struct run *run, const struct backend *backend, struct err *err) {
        struct host *host = &run->attempt.host;

        host->session_tmp = !backend->own_tmp && wants_session_tmp(run, backend);
        if (!host->session_tmp || run->order.options.plan_only)
                return 0;
        return session_tmp_hold(run->lent.tmp, host->workspace, (uint64_t)run->order.policy->sandbox.tmp_bytes,
                                host->no_identity ? 0 : host->id_base, err);
}

static int ask_engine(struct run *run, const struct backend *backend, struct err *err) {
        struct container_facts *facts = ARENA_NEW(&run->arena, struct container_facts);

        if (!facts)
                return err_memory(err);
        run->attempt.host.containers = facts;
        if (containers_facts(run->order.containers, backend, run->order.options.environment, &run->arena, facts, err) < 0)
                return -1;
        return run->order.options.plan_only ? 0
                                            : containers_share(run->order.containers, backend, run->order.policy,
                                                               &run->attempt.host, &run->arena, facts, err);
}

static int plan_backend(struct run *run, const struct backend *backend, struct err *err) {
        if (backend->engines && ask_engine(run, backend, err) < 0)
                return -1;
        if (backend->id == BACKEND_LANDLOCK && host_open_up(&run->attempt.host, &run->arena, err) < 0)
                return -1;
        if ((backend->own_tmp && set_tmpdir(run, backend, err) < 0) || share_tmp(run, backend, err) < 0 ||
            run_stage_join(run, backend, err) < 0)
                return -1;
        if (run->order.policy->sandbox.network_credential_count &&
            credentials_environment(run->order.policy, run->order.options.environment, run->attempt.request.envp, &run->arena,
                                    &run->attempt.request.envp, err) < 0)
                return -1;
        if (backend_plan(backend, run->order.policy, &run->attempt.host, &run->attempt.request, &run->arena,
                         &run->attempt.launch, err) < 0)
                return -1;
        run->attempt.launch.share.group = run->order.shared;
        run->attempt.launch.tmp = run->attempt.host.session_tmp ? &run->lent.tmp->holder : NULL;
        run->attempt.launch.stage = run->attempt.host.staged ? &run->staged.holder : NULL;
        return 0;
}

static void keep_failure(struct run *run, const struct backend *backend, const struct err *err) {
        size_t used = strlen(run->attempt.failures), name = strlen(backend->name);
        const char *text = err->msg;

        if (strncmp(text, backend->name, name) == 0 && text[name] == ':')
                text += name + 2;
        snprintf(run->attempt.failures + used, sizeof(run->attempt.failures) - used, "%s%s: %s", used ? "; " : "",
                 backend->name, text);
}

/* Where sandboxes may be ready for this launch, and the key of those; NULL: nowhere. */
static struct pool *pool_of(const struct run *run, struct buf *ret_key) {
        if (!run->lent.pool || run->attempt.launch.announce || run->attempt.launch.terminal.wanted ||
            !warm_possible(&run->attempt.launch) || !warm_fits(&run->attempt.launch))
                return NULL;
        warm_key(&run->attempt.launch, ret_key);
        return ret_key->failed ? NULL : run->lent.pool;
}

/* Of whoever asked for the command. */
static struct terminal_setup terminal_of(const struct run *run) {
        return (struct terminal_setup){ .in = run->order.options.in_fd,
                                        .out = run->order.options.out_fd,
                                        .signals = run->order.options.terminal_signals_fd,
                                        .seen = run->lent.seen };
}

/* One that nobody sits at: what it can do is what run/screen.h follows. */
static int plan_screen(struct run *run, struct err *err) {
        struct screen_state state;

        screen_state(run->lent.screen, &state);
        run->attempt.request.terminal =
                (struct launch_terminal){ .wanted = true, .rows = (uint16_t)state.rows, .columns = (uint16_t)state.columns };
        return set_variable(run, "TERM", "xterm-256color", err);
}

static int plan_terminal(struct run *run, const struct backend *backend, struct err *err) {
        const struct bailey_run_options *options = &run->order.options;
        const struct terminal_setup terminal = terminal_of(run);

        if (options->terminal == BAILEY_TERMINAL_NONE)
                return 0;
        if (backend->terminal && run->lent.screen)
                return plan_screen(run, err);
        if (backend->terminal)
                terminal_link_plan(&terminal, options->err_fd, &run->attempt.request.terminal);
        else if (options->terminal == BAILEY_TERMINAL_REQUIRED)
                return err_set(
                        err, ERR_INVALID,
                        "%s gives commands no terminal of their own: run it without one, or choose native, bwrap or landlock",
                        backend->name);
        return 0;
}

/* Without a terminal of its own, it is not given the caller's. */
static int input_of(const struct run *run) {
        const struct bailey_run_options *options = &run->order.options;

        return !run->attempt.launch.terminal.wanted && options->terminal != BAILEY_TERMINAL_NONE && isatty(options->in_fd)
                       ? -1
                       : options->in_fd;
}

/* Of output that is passed on. */
static int64_t passed_max(const struct run *run) {
        const struct run_policy *limits = &run->order.policy->run;

        return limits->output_limit == OUTPUT_LIMIT_ALWAYS ? limits->output_bytes : 0;
}

static int try_launch(struct run *run, struct err *err) {
        const struct terminal_setup terminal = terminal_of(run);
        struct job_setup setup = {
                .launch = &run->attempt.launch,
                .covers = &run->attempt.launch,
                .terminal = run->lent.screen ? NULL : &terminal,
                .in_fd = input_of(run),
                .typed = run->lent.typed,
                .out = run->lent.out_stream,
                .err = run->lent.err_stream,
                .out_fd = run->order.options.out_fd,
                .err_fd = run->order.options.err_fd,
                .seen = run->lent.seen,
                .passed_max = passed_max(run),
                .state = run->lent.state && !run->order.options.background ? &run->begun.left : NULL,
                .evidence = run->order.options.evidence ? &run->evidence.notes : NULL,
                .timeout = run->facts.timeout,
                .drain = run->order.policy->run.drain,
                .cancel_fd = run->order.options.cancel_fd,
                .epoll_fd = run->lent.epoll_fd,
                .epoll_data = run->lent.epoll_data,
        };
        struct pool *pool;
        struct warm warm;
        BUF_AUTO key;
        int result;

        buf_init(&key, KEY_MAX);
        run->attempt.launch.announce = run->order.options.status_fd >= 0 || run->order.options.background;
        run->attempt.launch.leaves_state = setup.state && run->order.options.command;
        shell_ports_plan(run);
        pool = pool_of(run, &key);
        if (pool && pool_take(pool, buf_str(&key), (size_t)run->order.policy->run.warm, &warm))
                setup.warm = &warm;
        result = run_network_begin(run, &setup, err) < 0 ? -1 : job_start(&run->job, &setup, err);
        if (result == 0)
                run_network_started(run);
        if (result == 0 && run->attempt.launch.share.memory_percent) /* the command cannot have taken so much yet */
                run->attempt.kills_before = cgroup_shared_kills(run->order.shared);
        if (pool && result == 0)
                pool_refill(pool, &run->attempt.launch, buf_str(&key));
        else if (result == 0)
                run_home_tidy(run);
        return result;
}

/* One that is not there would be the thing itself. */
static int put_copies(struct run *run, struct err *err) {
        struct host_paths *write = &run->attempt.host.write;
        struct host_path *items;

        if (!run->order.copies)
                return 0;
        items = arena_alloc(&run->arena, (write->count + 1) * sizeof(*items));
        if (!items)
                return err_memory(err);
        for (size_t i = 0; i < write->count; i++) {
                items[i] = write->items[i];
                for (const struct run_copy *copy = run->order.copies; copy->path; copy++)
                        if (strcmp(copy->path, items[i].path) == 0)
                                items[i].copy = copy->copy;
        }
        write->items = items;
        return 0;
}

/* A backend adds to what is known of the host: each gets a copy. */
static void begin_attempt(struct run *run) {
        run->attempt.host = run->facts.host;
        run->attempt.host.evidence = run->order.options.evidence;
        run->attempt.request = run->facts.request;
        if (run->attempt.without_sockets)
                run->attempt.host.sockets.count = 0;
        if (run->attempt.without_overlay)
                run->attempt.host.home.no_overlay = run->attempt.without_overlay;
        if (run->attempt.without_identity)
                run->attempt.host.no_identity = run->attempt.without_identity;
}

static int try_backend(struct run *run, const struct backend *backend, struct err *err) {
        begin_attempt(run);
        if (put_copies(run, err) < 0 || plan_terminal(run, backend, err) < 0 || plan_backend(run, backend, err) < 0)
                return -1;
        if (run->order.options.plan_only)
                return 0;
        return record_intent(run, err) < 0 || try_launch(run, err) < 0 ? -1 : 0;
}

/* Returns whether it is worth trying another one. */
static bool note_failure(struct run *run, const struct err *err) {
        const struct backend *backend = run->attempt.choice.items[run->attempt.tried - 1];

        containers_done(run->order.containers, run->attempt.host.containers, false);
        run->attempt.host.containers = NULL;
        run_network_forget(run);
        run->attempt.launch = (struct launch){};
        keep_failure(run, backend, err);
        run->result.err = *err;
        if (is_shortage(err))
                err_set(&run->result.err, err->code, "%.180s: too many commands are running; wait until some have ended",
                        err->msg);
        else if (!is_final(err) && err->code != ERR_MEMORY && !(run->result.unrecorded && run->order.policy->audit.required))
                return true;
        run->attempt.failures[0] = 0;
        return false;
}

/* Where owners cannot be mapped, commands of root are root, as far as the policy does not forbid that. */
static bool is_about_identity(const struct run *run, const struct err *why) {
        return why->code == ERR_NO_IDENTITY && !run->attempt.without_identity;
}

static int launch_next(struct run *run) {
        while (run->attempt.tried < run->attempt.choice.count) {
                struct err err = {};

                if (try_backend(run, run->attempt.choice.items[run->attempt.tried++], &err) == 0)
                        return 0;
                if (is_about_identity(run, &err)) {
                        run->attempt.without_identity = run_text(run, "%s", err.msg);
                        host_cache_without_identity(run->facts.host_cache, err.msg);
                        run->attempt.tried--;
                        continue;
                }
                if (!note_failure(run, &err))
                        return -1;
        }
        run->attempt.refused = run->attempt.choice.forced ? run->attempt.choice.items[0] : NULL;
        return -1;
}

int run_launch(struct run *run) {
        if (backend_choose(run->order.policy, run->order.options.environment, &run->attempt.choice, &run->result.err) < 0)
                return -1;
        return launch_next(run);
}

/* A socket of unix_sockets that went away while a wrapper was mounting it is one that is not there: that is no error. */
static bool is_about_socket(const struct run *run, const struct err *why) {
        for (size_t i = 0; why->code == ERR_CHANGED && i < run->attempt.host.sockets.count; i++)
                if (strstr(why->msg, run->attempt.host.sockets.items[i].path))
                        return true;
        return false;
}

static bool is_about_overlay(const struct run *run, const struct err *why) {
        return why->code == ERR_NO_OVERLAY && !run->attempt.without_overlay;
}

static int launch_same(struct run *run) {
        run_network_forget(run);
        run->attempt.tried--;
        run->attempt.launch = (struct launch){};
        return launch_next(run);
}

int run_launch_again(struct run *run, const struct err *why) {
        bool unwanted = run->job.killed || run->job.outcome.cancelled; /* which the next one would know nothing of */

        if (is_about_socket(run, why) && !unwanted) {
                run->attempt.without_sockets = true;
                return launch_same(run);
        }
        if (is_about_overlay(run, why) && !unwanted) {
                run->attempt.without_overlay = run_text(run, "%s", why->msg);
                host_cache_without_overlay(run->facts.host_cache, why->msg);
                return launch_same(run);
        }
        return note_failure(run, why) && !unwanted ? launch_next(run) : -1;
}
