/*
 * One command, from its text to its outcome. No stage calls upward.
 */
#include "engine/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/outcome.h"
#include "engine/record.h"
#include "engine/verdict.h"
#include "launch/cgroup.h"
#include "policy/env.h"
#include "policy/files.h"
#include "run/explain.h"
#include "run/foreground.h"
#include "run/sweep.h"
#include "run/tmpdir.h"

enum { SHELL_EXIT_TIMEOUT = 124, SHELL_EXIT_FAILED = 125, SHELL_EXIT_REFUSED = 126, SHELL_EXIT_NOT_FOUND = 127 };

#define SWEEP_GRACE (5 * TIME_SECOND)

/* ---- what is asked for ---- */

/* 'it'\''s': one word of bash, whatever is in it. */
static void quote(struct buf *out, const char *word) {
        buf_char(out, '\'');
        for (; *word; word++) {
                if (*word == '\'')
                        buf_append(out, STR("'\\''"));
                else
                        buf_char(out, *word);
        }
        buf_char(out, '\'');
}

static bool is_plain(const char *word) {
        if (!*word)
                return false;
        for (; *word; word++)
                if (!is_ascii_alnum((unsigned char)*word) && !strchr("_-./:=,+@%", *word))
                        return false;
        return true;
}

/* What the guard reads and records show; for a program and its arguments the command that would start it. */
static int command_text(struct run *run) {
        const struct bailey_run_options *options = run->options;
        BUF_AUTO text;
        char *copy;

        buf_init(&text, COMMAND_MAX);
        if (options->command) {
                run->command = str_z(options->command);
                return 0;
        }
        for (size_t i = 0; options->argv[i]; i++) {
                if (i)
                        buf_char(&text, ' ');
                /* An assignment is none when it is quoted. */
                if (is_plain(options->argv[i]) && (i || !strchr(options->argv[i], '=')))
                        buf_append(&text, str_z(options->argv[i]));
                else
                        quote(&text, options->argv[i]);
        }
        copy = arena_dup(&run->arena, buf_str(&text));
        if (text.failed || !copy)
                return err_set(&run->err, ERR_TOO_COMPLEX, "a command of more than %d bytes", COMMAND_MAX);
        run->command = str_from(copy, text.len);
        return 0;
}

static int judge(struct run *run) {
        BUF_AUTO text;

        buf_init(&text, COMMAND_MAX);
        guard_check(run->command, run->policy, &run->arena, &run->verdict);
        if (run->bypassed) {
                run->verdict.action = ACTION_ALLOWED;
                run_notice(run, "the guard is bypassed by %.*s", (int)run->policy->guard.bypass_env_var.len,
                           run->policy->guard.bypass_env_var.ptr);
        }
        if (run->verdict.action == ACTION_ALLOWED)
                return 0;
        verdict_reasons_text(&run->verdict, &text);
        buf_char(&text, 0);
        if (run->verdict.action == ACTION_WARNED) {
                run_notice(run, "%s", text.ptr ? text.ptr : "");
                return 0;
        }
        run->out.end = BAILEY_REFUSED;
        run->out.exit_code = SHELL_EXIT_REFUSED;
        run->out.message = text.failed ? "refused" : arena_dup(&run->arena, str_z(text.ptr));
        return -1;
}

/* ---- where it runs ---- */

static uint32_t groups_of(const struct sandbox_policy *sandbox) {
        uint32_t had = sandbox->max_memory_bytes || sandbox->max_pids ? cgroup_probe() : 0;

        return (had & CGROUP_MEMORY ? GROUP_MEMORY : 0) | (had & CGROUP_PIDS ? GROUP_PIDS : 0);
}

static int look_around(struct run *run) {
        struct host_question question = {
                .workspace = run->policy->workspace.len ? arena_dup(&run->arena, run->policy->workspace) : NULL,
                .cwd = run->options->cwd,
                .environment = run->options->environment,
                .audit = run->policy->audit.enabled ? audit_path(run->audit) : NULL,
                .force = run->options->force,
        };

        if (host_gather(run->policy, &question, &run->arena, &run->host, &run->err) < 0)
                return -1;
        run->host.groups = groups_of(&run->policy->sandbox);
        return env_filter(&run->policy->env, run->options->environment, &run->arena, &run->request.envp, &run->err);
}

static void ask_for(struct run *run) {
        static const char *const places[] = { "/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash" };
        const char *bash = "bash";

        if (run->options->argv) {
                run->request.program = run->options->argv[0];
                run->request.argv = run->options->argv;
                return;
        }
        for (size_t i = sizeof(places) / sizeof(*places); i-- > 0;)
                if (access(places[i], X_OK) == 0)
                        bash = places[i];
        run->request.program = bash;
        run->shell_argv[0] = "bash";
        run->shell_argv[1] = "-c";
        run->shell_argv[2] = run->options->command;
        run->request.argv = run->shell_argv;
}

static int64_t deadline_of(struct run *run) {
        const struct run_policy *limits = &run->policy->run;
        long long asked = run->options->timeout_ms;
        int64_t wanted = asked * INT64_C(1000000);

        if (asked < 0)
                return 0;
        if (asked == 0)
                return limits->timeout;
        if (asked > limits->timeout_max / 1000000) {
                run_notice(run, "a timeout of %lld ms is more than run.timeout_max: %lld ms it is", asked,
                           (long long)(limits->timeout_max / 1000000));
                return limits->timeout_max;
        }
        return wanted;
}

/* ---- running ---- */

static void send_status(int fd, const char *text) {
        struct err ignored;

        if (fd >= 0)
                fd_write_all(fd, str_z(text), &ignored);
}

static void tell_started(void *context) {
        const struct run *run = context;
        char line[128];

        snprintf(line, sizeof(line), "{\"event\":\"started\",\"backend\":\"%s\"}\n", run->launch.backend);
        send_status(run->options->status_fd, line);
}

static int try_launch(struct run *run, struct err *err) {
        struct foreground foreground = {
                .launch = &run->launch,
                .capture = run->options->capture ? &run->capture : NULL,
                .out = run->options->out_fd,
                .err = run->options->err_fd,
                .timeout = run->timeout,
                .drain = run->policy->run.drain,
                .cancel_fd = run->options->cancel_fd,
                .started = tell_started,
                .context = run,
        };

        run->launch.announce = run->options->status_fd >= 0;
        return foreground_run(&foreground, &run->outcome, err);
}

/* The command itself is at fault, not the walls. */
static bool is_final(const struct err *err) {
        return err->code == ERR_NOT_FOUND || err->code == ERR_INVALID;
}

/* Where /tmp is the host's, programs are led to a private one. */
static int set_tmpdir(struct run *run, struct err *err) {
        const char *const *envp = run->request.envp;
        const char **longer;
        size_t count = 0, kept = 0;

        if (run->tmpdir.fd < 0 && tmpdir_make(&run->tmpdir, &run->arena, &run->host.tmpdir, err) < 0)
                return -1;
        while (envp[count])
                count++;
        longer = arena_alloc(&run->arena, (count + 2) * sizeof(*longer));
        if (!longer)
                return err_set(err, ERR_MEMORY, "out of memory");
        for (size_t i = 0; i < count; i++)
                if (strncmp(envp[i], "TMPDIR=", 7) != 0)
                        longer[kept++] = envp[i];
        longer[kept] = run_text(run, "TMPDIR=%s", run->host.tmpdir);
        run->request.envp = longer;
        return 0;
}

static int plan_backend(struct run *run, const struct backend *backend, struct err *err) {
        if (backend->id == BACKEND_LANDLOCK && (host_open_up(&run->host, &run->arena, err) < 0 || set_tmpdir(run, err) < 0))
                return -1;
        return backend_plan(backend, run->policy, &run->host, &run->request, &run->arena, &run->launch, err);
}

static void keep_failure(struct run *run, const struct backend *backend, const struct err *err) {
        size_t used = strlen(run->failures), name = strlen(backend->name);
        const char *text = err->msg;

        if (strncmp(text, backend->name, name) == 0 && text[name] == ':')
                text += name + 2;
        snprintf(run->failures + used, sizeof(run->failures) - used, "%s%s: %s", used ? "; " : "", backend->name, text);
}

static int try_backend(struct run *run, const struct backend *backend, struct err *err) {
        if (plan_backend(run, backend, err) < 0)
                return -1;
        if (run->options->plan_only)
                return 0;
        if (record_intent(run, err) < 0 || try_launch(run, err) < 0)
                return -1;
        if (run->failures[0])
                run_notice(run, "using the %s sandbox: %s", backend->name, run->failures);
        if (backend->id == BACKEND_NONE && run_may_warn(run))
                run_notice(run, "NO SANDBOX: this command ran with all that you may do");
        return 0;
}

/* From the strongest down. One that fails before the command has started is told about, and the next one tried. */
static int run_somewhere(struct run *run) {
        struct backend_choice choice;

        if (backend_choose(run->policy, run->options->environment, &choice, &run->err) < 0)
                return -1;
        for (size_t i = 0; i < choice.count; i++) {
                struct err err = {};

                if (try_backend(run, choice.items[i], &err) == 0)
                        return 0;
                run->launch = (struct launch){};
                keep_failure(run, choice.items[i], &err);
                run->err = err;
                if (is_final(&err) || err.code == ERR_MEMORY || (run->unrecorded && run->policy->audit.required)) {
                        run->failures[0] = 0;
                        return -1;
                }
        }
        run->refused = choice.forced ? choice.items[0] : NULL;
        return -1;
}

/* Around the run: what it makes at protected places is taken away, now or at the next start. */
static int run_swept(struct run *run) {
        bool sweep = run->policy->sandbox.workspace_write && run->policy->sandbox.protect_workspace && !run->options->plan_only;
        struct sweep_journal journal;
        struct str_list removed = {};
        struct err err = {};
        int result;

        if (!sweep)
                return run_somewhere(run);
        if (sweep_journal_begin(run->state, run->host.workspace, &run->host.protection, &journal, &run->err) < 0)
                return -1;
        /* After a kill, what is made later than this was made by somebody else. */
        if (run->timeout && sweep_journal_until(&journal, time_realtime() + run->timeout + SWEEP_GRACE, &run->err) < 0) {
                sweep_journal_end(&journal);
                return -1;
        }
        result = run_somewhere(run);
        if (result == 0 && sweep_workspace(run->host.workspace, &run->host.protection, &run->arena, &removed, &err) < 0) {
                run_notice(run, "protected files could not be put back: %s; it is tried again at the next start", err.msg);
                sweep_journal_leave(&journal);
        } else {
                sweep_journal_end(&journal);
        }
        for (size_t i = 0; i < removed.count; i++)
                run_notice(run, "%.*s: commands may not change it, as it would run outside the sandbox",
                           (int)removed.items[i].len, removed.items[i].ptr);
        return result;
}

static int prepare(struct run *run) {
        struct directory state;
        struct str_list removed = {};
        struct err err = {};
        FD_AUTO made = -1;

        if (!directory_state(run->options->environment, &state))
                return err_set(&run->err, ERR_INVALID,
                               "neither XDG_STATE_HOME nor HOME is an absolute path: set one, for bailey's notes");
        run->state = arena_dup(&run->arena, str_z(state.path));
        if (directory_make(state.path, &made, &err) < 0)
                return err_set(&run->err, ERR_INVALID, "%s; set XDG_STATE_HOME to a directory for bailey's notes", err.msg);
        if (sweep_recover(run->state, &run->arena, &removed, &err) < 0)
                run_notice(run, "after a run that was killed: %s", err.msg);
        for (size_t i = 0; i < removed.count; i++)
                run_notice(run, "after a run that was killed: %.*s", (int)removed.items[i].len, removed.items[i].ptr);
        run->timeout = deadline_of(run);
        return record_ready(run, &run->err);
}

/* ---- the end ---- */

static void set_failed(struct run *run) {
        bool missing = run->err.code == ERR_NOT_FOUND;

        run->out.end = missing ? BAILEY_NOT_FOUND : BAILEY_FAILED;
        run->out.exit_code = missing ? SHELL_EXIT_NOT_FOUND : SHELL_EXIT_FAILED;
        if (run->refused && run->err.code != ERR_UNSUPPORTED)
                run->out.message = run_text(run, "the sandbox that was asked for does not work: %s. To get it: %s",
                                            run->failures, run->refused->remedy);
        else if (run->failures[0])
                run->out.message =
                        run_text(run,
                                 "no sandbox that enforces the policy is available, and commands do not run without one. "
                                 "%s. Install bubblewrap or allow user namespaces; `bailey doctor` tells what each needs. "
                                 "To run without any, set BAILEY_SANDBOX=none and BAILEY_ALLOW_NO_SANDBOX=1",
                                 run->failures);
        else
                run->out.message = run_text(run, "%s", run->err.msg);
}

static void set_ended(struct run *run) {
        const struct outcome *o = &run->outcome;

        run->out.backend = run->launch.backend;
        run->out.duration_ms = o->duration / 1000000;
        run->out.signal = WIFSIGNALED(o->status) ? WTERMSIG(o->status) : 0;
        run->out.exit_code = run->out.signal ? 128 + run->out.signal : WEXITSTATUS(o->status);
        if (o->timed_out) {
                run->out.end = BAILEY_TIMED_OUT;
                run->out.exit_code = SHELL_EXIT_TIMEOUT;
                run->out.message = run_text(run, "bash: timed out after %gs", (double)run->timeout / 1e9);
        } else if (o->cancelled) {
                run->out.end = BAILEY_CANCELLED;
                run->out.message = "cancelled";
        }
}

static void keep_output(struct run *run) {
        if (!run->options->capture || capture_finish(&run->capture, &run->arena, &run->captured, &run->err) < 0)
                return;
        run->out.output = run->captured.text.ptr;
        run->out.output_length = run->captured.text.len;
        run->out.output_bytes = run->captured.total;
        run->out.elided_bytes = run->captured.elided;
}

static void tell_exited(const struct run *run) {
        char line[160];

        snprintf(line, sizeof(line), "{\"event\":\"exited\",\"exit_code\":%d,\"signal\":%d,\"timed_out\":%s}\n",
                 run->out.exit_code, run->out.signal, run->outcome.timed_out ? "true" : "false");
        send_status(run->options->status_fd, line);
}

static void finish(struct run *run, int result) {
        if (result < 0) {
                if (run->out.end != BAILEY_REFUSED)
                        set_failed(run);
        } else if (run->options->plan_only) {
                run_show_plan(run);
        } else {
                set_ended(run);
                keep_output(run);
                run_explain(run);
        }
        record_end(run);
        if (result == 0 && !run->options->plan_only)
                tell_exited(run);
}

int bailey_run(const struct bailey_policy *policy, const struct bailey_run_options *options, struct bailey_outcome *ret) {
        struct run *run = calloc(1, sizeof(*run));
        int result;

        if (!run)
                return -1;
        arena_init(&run->arena, 0);
        run->policy = policy->policy;
        run->bypassed = policy->bypassed;
        run->options = options;
        run->audit = policy->audit;
        audit_settle(run->audit, options->environment);
        run->tmpdir.fd = -1;
        ask_for(run);
        result = id_new(run->id, &run->err);
        if (result == 0)
                result = command_text(run);
        if (result == 0)
                result = judge(run);
        if (result == 0 && options->capture)
                result = capture_init(&run->capture, (size_t)run->policy->run.output_bytes, &run->err);
        if (result == 0)
                result = prepare(run);
        if (result == 0)
                result = look_around(run);
        if (result == 0)
                result = run_swept(run);
        tmpdir_remove(&run->tmpdir);
        finish(run, result);
        capture_free(&run->capture);
        return run_hand_out(run, ret);
}
