/*
 * The end of a run: its outcome is put together, explained and put on record.
 */
#include "engine/pipeline/run.h"

#include <stdio.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/number.h"
#include "base/time.h"
#include "engine/pipeline/containers.h"
#include "engine/pipeline/record.h"
#include "launch/cgroup_shared.h"
#include "launch/report.h"
#include "policy/files.h"
#include "run/explain.h"
#include "sandbox/host_parts.h"

enum { MATCHES_TOLD = 5 };

/* ---- the events of --status-fd ---- */

static void send_status(int fd, const char *text) {
        struct fd_quiet quiet;
        struct err ignored;

        if (fd < 0)
                return;
        fd_quiet_begin(&quiet);
        fd_write_all(fd, str_z(text), &ignored);
        fd_quiet_end(&quiet);
}

/* From now on there may be something in it. */
static void note_tmp(const struct run *run) {
        if (run->lent.tmp && run->attempt.launch.tmp)
                run->lent.tmp->used = true;
}

void run_tell_started(struct run *run) {
        char line[128];

        note_tmp(run);
        snprintf(line, sizeof(line), "{\"event\":\"started\",\"backend\":\"%s\"}\n", run->attempt.launch.backend);
        send_status(run->order.options.status_fd, line);
}

static void tell_exited(const struct run *run) {
        char line[160];

        snprintf(line, sizeof(line), "{\"event\":\"exited\",\"exit_code\":%d,\"signal\":%d,\"timed_out\":%s}\n",
                 run->result.out.exit_code, run->result.out.signal, run->job.outcome.timed_out ? "true" : "false");
        send_status(run->order.options.status_fd, line);
}

/* ---- the outcome ---- */

/* What was said while background commands ran. */
static void tell_later(struct run *run) {
        struct str left = run->lent.later && !run->order.options.background ? buf_str(run->lent.later) : str_from(NULL, 0);

        while (left.len) {
                struct str line = str_take(left, str_find(left, '\n'));

                run_notice(run, "%.*s", (int)line.len, line.ptr);
                left = str_skip(left, line.len + 1);
        }
        if (run->lent.later && !run->order.options.background)
                buf_clear(run->lent.later);
}

/* Between a text of others, which may be a whole sentence, and the next one. */
static const char *full_stop(const char *text) {
        size_t len = strlen(text);

        return len && strchr(".?!", text[len - 1]) ? "" : ".";
}

static void set_failed(struct run *run) {
        enum err_code code = run->result.err.code;
        bool missing = code == ERR_NOT_FOUND;

        run->result.out.end = missing ? BAILEY_NOT_FOUND : BAILEY_FAILED;
        run->result.out.wrong = code == ERR_INVALID || code == ERR_REFUSED || code == ERR_TOO_COMPLEX;
        run->result.out.exit_code = missing ? RUN_EXIT_NOT_FOUND : RUN_EXIT_FAILED;
        if (run->attempt.refused && run->result.err.code != ERR_UNSUPPORTED)
                run->result.out.message =
                        run_message(run, "the requested backend does not work: %s%s To enable it: %s", run->attempt.failures,
                                    full_stop(run->attempt.failures), run->attempt.refused->remedy);
        else if (run->attempt.failures[0] && run->attempt.choice.containers)
                run->result.out.message = run_message(
                        run,
                        "no container engine can run the command under this policy: %s%s If no container is requested, bailey "
                        "chooses a sandbox that can enforce the policy; see `bailey doctor` and `bailey container status`",
                        run->attempt.failures, full_stop(run->attempt.failures));
        else if (run->attempt.refused && !run->facts.host.windows)
                run->result.out.message =
                        run_message(run,
                                    "the requested backend cannot be used: %s%s If none is requested, bailey chooses "
                                    "one that can enforce the policy; see `bailey doctor`",
                                    run->attempt.failures, full_stop(run->attempt.failures));
        else if (run->attempt.failures[0] && run->facts.host.windows)
                run->result.out.message =
                        run_message(run, "no available sandbox enforces the policy: %s%s To enable one: %s",
                                    run->attempt.failures, full_stop(run->attempt.failures), backends[0]->remedy);
        else if (run->attempt.failures[0])
                run->result.out.message = run_message(
                        run,
                        "no available sandbox enforces the policy: %s%s Install bubblewrap or allow user namespaces; "
                        "`bailey doctor` shows what each sandbox needs. To run without a sandbox, set "
                        "BAILEY_SANDBOX=none and BAILEY_ALLOW_NO_SANDBOX=1",
                        run->attempt.failures, full_stop(run->attempt.failures));
        else
                run->result.out.message = run_message(run, "%s", run->result.err.msg);
}

static bool is_background_max(const struct run *run) {
        return run->order.options.background && run->facts.timeout == run->order.policy->run.background_max;
}

static void set_ended(struct run *run) {
        const struct outcome *o = &run->job.outcome;

        run->result.out.backend = run->attempt.launch.backend;
        run->result.out.duration_ms = o->duration / 1000000;
        run->result.out.signal = WIFSIGNALED(o->status) ? WTERMSIG(o->status) : 0;
        run->result.out.exit_code = run->result.out.signal ? 128 + run->result.out.signal : WEXITSTATUS(o->status);
        if (o->timed_out) {
                run->result.out.end = BAILEY_TIMED_OUT;
                run->result.out.exit_code = RUN_EXIT_TIMEOUT;
                run->result.out.message = run_message(
                        run,
                        is_background_max(run) ? "ended after %g s, the maximum of run.background_max" : "timed out after %g s",
                        (double)run->facts.timeout / 1e9);
        } else if (o->cancelled) {
                run->result.out.end = BAILEY_CANCELLED;
                run->result.out.message = "cancelled";
                if (run->job.no_terminal.code)
                        run->result.out.message = run_message(run, "killed: %s", run->job.no_terminal.msg);
                else if (run->job.uncovered.code)
                        run->result.out.message = run_message(
                                run,
                                "killed: protected files were replaced on the host while the command ran, and could "
                                "not be protected again: %s. Run the command again",
                                run->job.uncovered.msg);
        }
}

/* Of several streams the first is shown; background commands are read while they run. */
static void keep_output(struct run *run) {
        struct stream *streams[] = { run->lent.out_stream, run->lent.err_stream };

        for (size_t i = 0; i < 2; i++) {
                if (!streams[i])
                        continue;
                run->result.out.output_bytes += streams[i]->capture.total;
                run->result.redactions += streams[i]->redact.redactions;
        }
        if (!run->lent.out_stream ||
            stream_finish(run->lent.out_stream, &run->arena, &run->result.captured, &run->result.err) < 0)
                return;
        run->result.captured.truncated |= run->lent.err_stream && capture_is_truncated(&run->lent.err_stream->capture);
        run->result.out.output = run->result.captured.text.ptr;
        run->result.out.output_length = run->result.captured.text.len;
        run->result.out.elided_bytes = run->result.captured.elided;
}

static void tell_dropped(struct run *run) {
        char limit[SIZE_TEXT_SIZE];

        if (!run->job.outcome.dropped)
                return;
        run->result.out.elided_bytes = run->job.outcome.dropped;
        run->result.captured.truncated = true;
        size_format((uint64_t)run->order.policy->run.output_bytes, limit);
        run_notice(run, "%llu bytes of output were dropped: the limit is %s; --output-limit sets another one, and 0 none",
                   (unsigned long long)run->job.outcome.dropped, limit);
}

/* With the result: notices of background commands are only in the audit log. */
static void tell_missing(struct run *run) {
        const char *warning = NULL;

        if (run->lent.out_stream && !run->order.options.background)
                warning = secrets_warning(run->lent.secrets, run->lent.out_stream->redactor);
        if (warning)
                run_notice(run, "%s", warning);
}

static void tell_ignored(struct run *run, const struct backend *backend) {
        static const char *const names[] = { "memory", "processor time", "files",
                                             "processes" }; /* in the order of enum launch_ignored */
        char text[64] = "";

        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                size_t used = strlen(text);

                if (run->attempt.launch.limits_ignored & 1U << i)
                        snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "", names[i]);
        }
        run_notice(run, "%s does not limit: %s", backend->name, text);
}

/* Once in a while: what commands find in their home is less than they should. */
static void tell_home(struct run *run, const struct backend *backend) {
        const struct home *home = &run->attempt.host.home;

        if (!home->path || backend->engines || backend->id == BACKEND_NONE || !run_may_warn(run, WARNING_HOME))
                return;
        if (!backend->own_home)
                run_notice(run, "%s shows your home directory, read-only: a home of the workspace requires native or bwrap",
                           backend->name);
        else if (home->count && (home->no_overlay || backend->id == BACKEND_BWRAP))
                run_notice(run, "package caches of your home directory are not shown, and its tools are read-only: %s",
                           home->no_overlay ? home->no_overlay : "bwrap cannot overlay directories");
        if (backend->own_home && home->left_out && home->left_out_count > 1)
                run_notice(run, "%s, which commands would find in their home, cannot be opened; nor can %zu more",
                           home->left_out, home->left_out_count - 1);
        else if (backend->own_home && home->left_out)
                run_notice(run, "%s, which commands would find in their home, cannot be opened", home->left_out);
}

/* Once in a session: files that commands expect to find are not there. */
static void tell_tmp(struct run *run, const struct backend *backend) {
        struct session_tmp *tmp = run->lent.tmp;

        if (!tmp)
                return;
        if (tmp->lost)
                run_notice(run, "the files in the /tmp of this session were lost: it was removed from outside");
        tmp->lost = false;
        note_tmp(run);
        if (tmp->told || run_keeps_tmp(run, backend) || (!tmp->named.name && !run_keeps_tmp(run, run->attempt.choice.items[0])))
                return;
        tmp->told = true;
        if (run->order.policy->run.tmp == TMP_COMMAND && !backend->engines) {
                run_notice(run, "/tmp is new for each command: run.tmp is \"command\"");
                return;
        }
        run_notice(run, "/tmp is new for each command: %s cannot keep it for the session", backend->name);
}

/* Once in a while, as with every command nobody would read it. */
static void tell_none(struct run *run) {
        bool strict = run->order.policy->sandbox.syscalls == SYSCALLS_STRICT;

        if (run_may_warn(run, WARNING_NO_SANDBOX))
                run_notice(run, "NO SANDBOX: this command ran with all your permissions%s",
                           strict ? ", and without the system call filter of syscall_policy = \"strict\"" : "");
}

static void tell_sandbox(struct run *run) {
        const struct backend *backend = run->attempt.choice.items[run->attempt.tried - 1];

        if (run->attempt.failures[0])
                run_notice(run, "using the %s sandbox: %s", backend->name, run->attempt.failures);
        for (const char *const *w = run->attempt.launch.container ? run->attempt.launch.container->warnings : NULL; w && *w;
             w++)
                run_notice(run, "%s", *w);
        for (const char *const *notice = run->attempt.launch.notices; *notice; notice++)
                run_notice(run, "%s", *notice);
        if (run->attempt.launch.limits_ignored)
                tell_ignored(run, backend);
        tell_home(run, backend);
        tell_tmp(run, backend);
        if (run->job.launched.facts & REPORT_REFUSED)
                run_notice(run, "%s", run->job.launched.failure.msg);
        if (backend->id == BACKEND_NONE)
                tell_none(run);
}

/* What came to match a pattern while the command ran was not denied to it. */
static void tell_matches(struct run *run) {
        struct host_match *match = NULL;
        struct err err = {};
        size_t count = 0;

        if (host_globs_find(&run->facts.host, &run->order.policy->sandbox, &run->arena, &match, &err) < 0) {
                run_notice(run, "cannot check which files match the patterns now: %s", err.msg);
                return;
        }
        for (; match; match = match->next)
                if (!host_denies_match(&run->facts.host, match) && count++ < MATCHES_TOLD)
                        run_notice(run, "%s matches %s in %s, but was created after the command started: it could %s it",
                                   match->path, match->pattern, match->write ? "fs_write_deny" : "fs_read_deny",
                                   match->write ? "write" : "read");
        if (count > MATCHES_TOLD)
                run_notice(run, "and %zu more files", count - MATCHES_TOLD);
}

/* One that is content has not lost anything; and looking costs. */
static void look_for_kills(struct run *run) {
        run->result.user_memory_killed = run->attempt.launch.share.group && run->attempt.launch.share.memory_percent &&
                                         run->result.out.exit_code != 0 && !run->job.outcome.timed_out &&
                                         !run->job.outcome.cancelled &&
                                         cgroup_shared_kills(run->attempt.launch.share.group) > run->attempt.kills_before;
}

/* The process that runs a container reports its end. If that process was killed, the container may still run. */
static bool is_orphaned(const struct run *run) {
        return run->attempt.launch.container && run->job.launched.said != REPORT_ENDED &&
               run->job.launched.said != REPORT_FAILED;
}

static void leave_container(struct run *run) {
        if (is_orphaned(run))
                containers_lost(run->order.containers, run->attempt.host.containers, run->attempt.launch.container);
        else
                containers_done(run->order.containers, run->attempt.host.containers, !(run->job.launched.facts & REPORT_LOST));
}

void run_end(struct run *run, int result) {
        bool ran = result == 0 && !run->order.options.plan_only;

        run_protect_end(run);
        run_stage_leave(run);
        tell_later(run);
        if (ran) {
                leave_container(run);
                run_network_end(run);
                run_home_end(run);
                run_stage_end(run);
        }
        tmpdir_remove(&run->attempt.tmpdir);
        if (ran) {
                tell_sandbox(run);
                tell_matches(run);
                set_ended(run);
                run_state_end(run);
                keep_output(run);
                tell_missing(run);
                tell_dropped(run);
                look_for_kills(run);
                run_explain(run);
                run_evidence(run);
        } else if (result == 0) {
                run_show_plan(run);
        } else if (run->job.outcome.cancelled || run->job.outcome.timed_out) {
                set_ended(run); /* before anything could run */
        } else if (run->result.out.end != BAILEY_REFUSED) {
                set_failed(run);
        }
        run->result.out.cwd = run_state_cwd(run);
        record_end(run);
        if (ran)
                tell_exited(run);
        run_stage_close(run);
        fd_close(TAKE_FD(run->facts.home)); /* the command no longer needs it */
        run->over = true;
}
