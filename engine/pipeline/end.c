/*
 * The end of a run: its outcome is put together, explained and put on record.
 */
#include "engine/pipeline/run.h"

#include <stdio.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/pipeline/containers.h"
#include "engine/pipeline/record.h"
#include "launch/cgroup_shared.h"
#include "launch/report.h"
#include "policy/files.h"
#include "run/explain.h"
#include "sandbox/host_globs.h"

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

void run_tell_started(struct run *run) {
        char line[128];

        snprintf(line, sizeof(line), "{\"event\":\"started\",\"backend\":\"%s\"}\n", run->launch.backend);
        send_status(run->options.status_fd, line);
}

static void tell_exited(const struct run *run) {
        char line[160];

        snprintf(line, sizeof(line), "{\"event\":\"exited\",\"exit_code\":%d,\"signal\":%d,\"timed_out\":%s}\n",
                 run->out.exit_code, run->out.signal, run->job.outcome.timed_out ? "true" : "false");
        send_status(run->options.status_fd, line);
}

/* ---- the outcome ---- */

/* What was said while background commands ran. */
static void tell_later(struct run *run) {
        struct str left = run->later && !run->options.background ? buf_str(run->later) : str_from(NULL, 0);

        while (left.len) {
                struct str line = str_take(left, str_find(left, '\n'));

                run_notice(run, "%.*s", (int)line.len, line.ptr);
                left = str_skip(left, line.len + 1);
        }
        if (run->later && !run->options.background)
                buf_clear(run->later);
}

/* Between a text of others, which may be a whole sentence, and the next one. */
static const char *full_stop(const char *text) {
        size_t len = strlen(text);

        return len && strchr(".?!", text[len - 1]) ? "" : ".";
}

static void set_failed(struct run *run) {
        bool missing = run->err.code == ERR_NOT_FOUND;

        run->out.end = missing ? BAILEY_NOT_FOUND : BAILEY_FAILED;
        run->out.exit_code = missing ? RUN_EXIT_NOT_FOUND : RUN_EXIT_FAILED;
        if (run->refused && run->err.code != ERR_UNSUPPORTED)
                run->out.message = run_message(run, "the requested backend does not work: %s%s To enable it: %s", run->failures,
                                               full_stop(run->failures), run->refused->remedy);
        else if (run->failures[0] && run->choice.containers)
                run->out.message = run_message(
                        run, "no container engine can run the command under this policy: %s%s See `bailey container status`",
                        run->failures, full_stop(run->failures));
        else if (run->refused && !run->host.windows)
                run->out.message =
                        run_message(run,
                                    "the requested backend cannot be used: %s%s If none is requested, bailey chooses "
                                    "one that can enforce the policy; see `bailey doctor`",
                                    run->failures, full_stop(run->failures));
        else if (run->failures[0] && run->host.windows)
                run->out.message = run_message(run, "no available sandbox enforces the policy: %s%s To enable one: %s",
                                               run->failures, full_stop(run->failures), backends[0]->remedy);
        else if (run->failures[0])
                run->out.message = run_message(
                        run,
                        "no available sandbox enforces the policy: %s%s Install bubblewrap or allow user namespaces; "
                        "`bailey doctor` shows what each sandbox needs. To run without a sandbox, set "
                        "BAILEY_SANDBOX=none and BAILEY_ALLOW_NO_SANDBOX=1",
                        run->failures, full_stop(run->failures));
        else
                run->out.message = run_message(run, "%s", run->err.msg);
}

static void set_ended(struct run *run) {
        const struct outcome *o = &run->job.outcome;

        run->out.backend = run->launch.backend;
        run->out.duration_ms = o->duration / 1000000;
        run->out.signal = WIFSIGNALED(o->status) ? WTERMSIG(o->status) : 0;
        run->out.exit_code = run->out.signal ? 128 + run->out.signal : WEXITSTATUS(o->status);
        if (o->timed_out) {
                run->out.end = BAILEY_TIMED_OUT;
                run->out.exit_code = RUN_EXIT_TIMEOUT;
                run->out.message = run_message(run, "timed out after %g s", (double)run->timeout / 1e9);
        } else if (o->cancelled) {
                run->out.end = BAILEY_CANCELLED;
                run->out.message = "cancelled";
                if (run->job.uncovered.code)
                        run->out.message = run_message(
                                run,
                                "killed: protected files were replaced on the host while the command ran, and could "
                                "not be protected again: %s. Run the command again",
                                run->job.uncovered.msg);
        }
}

/* Of several streams the first is shown; background commands are read while they run. */
static void keep_output(struct run *run) {
        struct stream *streams[] = { run->out_stream, run->err_stream };

        for (size_t i = 0; i < 2; i++) {
                if (!streams[i])
                        continue;
                run->out.output_bytes += streams[i]->capture.total;
                run->redactions += streams[i]->redact.redactions;
        }
        if (!run->out_stream || stream_finish(run->out_stream, &run->arena, &run->captured, &run->err) < 0)
                return;
        run->captured.truncated |= run->err_stream && capture_is_truncated(&run->err_stream->capture);
        run->out.output = run->captured.text.ptr;
        run->out.output_length = run->captured.text.len;
        run->out.elided_bytes = run->captured.elided;
}

/* With the result: notices of background commands are only in the audit log. */
static void tell_missing(struct run *run) {
        const char *warning = NULL;

        if (run->out_stream && !run->options.background)
                warning = secrets_warning(run->secrets, run->out_stream->redactor);
        if (warning)
                run_notice(run, "%s", warning);
}

static void tell_ignored(struct run *run, const struct backend *backend) {
        static const char *const names[] = { "memory", "processor time", "files",
                                             "processes" }; /* in the order of enum launch_ignored */
        char text[64] = "";

        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                size_t used = strlen(text);

                if (run->launch.limits_ignored & 1U << i)
                        snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "", names[i]);
        }
        run_notice(run, "%s does not limit: %s", backend->name, text);
}

static void tell_walls(struct run *run) {
        const struct backend *backend = run->choice.items[run->tried - 1];

        if (run->failures[0])
                run_notice(run, "using the %s sandbox: %s", backend->name, run->failures);
        for (const char *const *w = run->launch.container ? run->launch.container->warnings : NULL; w && *w; w++)
                run_notice(run, "%s", *w);
        for (const char *const *notice = run->launch.notices; *notice; notice++)
                run_notice(run, "%s", *notice);
        if (run->launch.limits_ignored)
                tell_ignored(run, backend);
        if (run->job.launched.facts & REPORT_REFUSED)
                run_notice(run, "%s", run->job.launched.failure.msg);
        if (backend->id == BACKEND_NONE && run_may_warn(run))
                run_notice(run, "NO SANDBOX: this command ran with all your permissions");
}

/* What came to match a pattern while the command ran was not denied to it. */
static void tell_matches(struct run *run) {
        struct host_match *match = NULL;
        struct err err = {};
        size_t count = 0;

        if (host_globs_find(&run->host, &run->policy->sandbox, &run->arena, &match, &err) < 0) {
                run_notice(run, "cannot check which files match the patterns now: %s", err.msg);
                return;
        }
        for (; match; match = match->next)
                if (!host_denies_match(&run->host, match) && count++ < MATCHES_TOLD)
                        run_notice(run, "%s matches %s in %s, but was created after the command started: it could %s it",
                                   match->path, match->pattern, match->write ? "fs_write_deny" : "fs_read_deny",
                                   match->write ? "write" : "read");
        if (count > MATCHES_TOLD)
                run_notice(run, "and %zu more files", count - MATCHES_TOLD);
}

/* One that is content has not lost anything; and looking costs. */
static void look_for_kills(struct run *run) {
        run->user_memory_killed = run->launch.share.group && run->launch.share.memory_percent && run->out.exit_code != 0 &&
                                  !run->job.outcome.timed_out && !run->job.outcome.cancelled &&
                                  cgroup_shared_kills(run->launch.share.group) > run->kills_before;
}

/* Who runs a container has the last word on it. If somebody has killed that process, nobody has ended the container. */
static bool is_orphaned(const struct run *run) {
        return run->launch.container && run->job.launched.said != REPORT_ENDED && run->job.launched.said != REPORT_FAILED;
}

static void leave_container(struct run *run) {
        if (is_orphaned(run))
                containers_lost(run->containers, run->host.containers, run->launch.container);
        else
                containers_done(run->containers, run->host.containers, !(run->job.launched.facts & REPORT_LOST));
}

void run_end(struct run *run, int result) {
        bool ran = result == 0 && !run->options.plan_only;

        run_protect_end(run);
        tell_later(run);
        if (ran)
                leave_container(run);
        tmpdir_remove(&run->tmpdir);
        if (ran) {
                tell_walls(run);
                tell_matches(run);
                set_ended(run);
                keep_output(run);
                tell_missing(run);
                look_for_kills(run);
                run_explain(run);
        } else if (result == 0) {
                run_show_plan(run);
        } else if (run->job.outcome.cancelled || run->job.outcome.timed_out) {
                set_ended(run); /* before anything could run */
        } else if (run->out.end != BAILEY_REFUSED) {
                set_failed(run);
        }
        record_end(run);
        if (ran)
                tell_exited(run);
        run->over = true;
}
