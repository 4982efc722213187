#include "engine/pipeline/run.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/pipeline/verdict.h"
#include "launch/cgroup_shared.h"
#include "policy/files.h"
#include "sandbox/container/container.h"
#include "run/explain.h"

enum {
        TEXT_MAX = 4096,
        LINE_MAX_ESCAPED = 4 * TEXT_MAX,
        PLAN_MAX = 256 << 20,
};

#define WARN_EVERY (60 * TIME_SECOND)

__attribute__((format(printf, 2, 0))) static const char *format_text(struct run *run, const char *format, va_list arguments) {
        char text[TEXT_MAX];

        vsnprintf(text, sizeof(text), format, arguments);
        return arena_dup(&run->arena, str_z(text));
}

const char *run_text(struct run *run, const char *format, ...) {
        va_list arguments;
        const char *text;

        va_start(arguments, format);
        text = format_text(run, format, arguments);
        va_end(arguments);
        return text ? text : "out of memory";
}

/* NULL without memory. */
static const char *one_line(struct run *run, const char *text) {
        BUF_AUTO line;

        buf_init(&line, LINE_MAX_ESCAPED);
        buf_visible(&line, str_z(text ? text : ""));
        return text && !line.failed ? arena_dup(&run->arena, buf_str(&line)) : NULL;
}

const char *run_message(struct run *run, const char *format, ...) {
        va_list arguments;
        const char *text;

        va_start(arguments, format);
        text = one_line(run, format_text(run, format, arguments));
        va_end(arguments);
        return text ? text : "out of memory";
}

void run_notice(struct run *run, const char *format, ...) {
        va_list arguments;
        const char *text;

        va_start(arguments, format);
        text = one_line(run, format_text(run, format, arguments));
        va_end(arguments);
        if (text && run->result.notice_count < NOTICES_MAX)
                run->result.notices[run->result.notice_count++] = text;
}

static bool session_may_warn(int64_t *warned) {
        int64_t now = time_monotonic();

        if (*warned && now - *warned < WARN_EVERY)
                return false;
        *warned = now;
        return true;
}

/* Each run is a process of its own. */
static bool process_may_warn(const struct run *run, enum run_warning warning) {
        static const char *const names[WARNING_COUNT] = { [WARNING_NO_SANDBOX] = "no-sandbox", [WARNING_HOME] = "no-home" };
        FD_AUTO directory = -1, file = -1;
        struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };
        struct stat st;

        if (directory_make(run->facts.state, &directory, NULL) < 0)
                return true;
        if (fstatat(directory, names[warning], &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            time_realtime() - st.st_mtime * TIME_SECOND < WARN_EVERY)
                return false;
        file = openat(directory, names[warning], O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file >= 0)
                futimens(file, now);
        return true;
}

bool run_may_warn(const struct run *run, enum run_warning warning) {
        if (run->order.options.background)
                return true;
        return run->lent.warned ? session_may_warn(&run->lent.warned[warning]) : process_may_warn(run, warning);
}

void run_show_plan(struct run *run) {
        BUF_AUTO text;

        buf_init(&text, PLAN_MAX);
        launch_print(&run->attempt.launch, &text);
        run->result.out.end = BAILEY_PLANNED;
        run->result.out.output = arena_dup(&run->arena, buf_str(&text));
        run->result.out.output_length = run->result.out.output ? text.len : 0;
}

/* ---- the explanation ---- */

static const char *const no_paths[] = { NULL };

static const char *const *masked_of(struct run *run) {
        const struct host_paths *list = &run->facts.host.masks;
        const char **paths = arena_alloc(&run->arena, (list->count + 1) * sizeof(*paths));

        for (size_t i = 0; paths && i < list->count; i++)
                paths[i] = list->items[i].path;
        return paths ? paths : no_paths;
}

static const char *const *protected_of(struct run *run) {
        const struct protected_paths *list = &run->facts.host.protection.read_only;
        const struct host_paths *denied = &run->facts.host.write_deny;
        const char **paths = arena_alloc(&run->arena, (list->count + denied->count + 1) * sizeof(*paths));

        for (size_t i = 0; paths && i < list->count; i++)
                paths[i] = list->items[i].path;
        for (size_t i = 0; paths && i < denied->count; i++)
                paths[list->count + i] = denied->items[i].path;
        return paths ? paths : no_paths;
}

static const char *const *matched_of(struct run *run) {
        const struct host_paths *lists[] = { &run->facts.host.masks, &run->facts.host.write_deny };
        const char **paths = arena_alloc(&run->arena, (lists[0]->count + lists[1]->count + 1) * sizeof(*paths));
        size_t count = 0;

        for (size_t j = 0; paths && j < 2; j++)
                for (size_t i = 0; i < lists[j]->count; i++)
                        if (lists[j]->items[i].pattern)
                                paths[count++] = lists[j]->items[i].path;
        return paths ? paths : no_paths;
}

static const char *const *programs_of(struct run *run) {
        const struct host_paths *denied = &run->facts.host.write_deny;
        const char **paths = arena_alloc(&run->arena, (denied->count + 1) * sizeof(*paths));
        size_t count = 0;

        for (size_t i = 0; paths && i < denied->count; i++)
                if (denied->items[i].program)
                        paths[count++] = denied->items[i].path;
        return paths ? paths : no_paths;
}

static const char *const *writable_of(struct run *run) {
        const struct landlock_plan *landlock = &run->attempt.launch.landlock;
        const char **paths = arena_alloc(&run->arena, (landlock->rule_count + 1) * sizeof(*paths));
        size_t count = 0;

        for (size_t i = 0; paths && i < landlock->rule_count; i++)
                if (landlock->rules[i].grant & ~(uint32_t)GRANT_READ)
                        paths[count++] = landlock->rules[i].path;
        return paths ? paths : no_paths;
}

/* What the guard knows of the command. Where it is off, it reads a command that has failed now, only for that. */
static const struct verdict *verdict_of(struct run *run) {
        struct policy policy;
        struct verdict *verdict;

        if (run->order.policy->guard.mode != GUARD_OFF ||
            (!run->result.out.exit_code && !run->result.out.signal && !run->result.captured.text.len))
                return &run->judged.verdict;
        policy = *run->order.policy;
        policy.guard.mode = GUARD_WARN;
        verdict = ARENA_NEW(&run->arena, struct verdict);
        if (verdict)
                guard_check(run->judged.command, &policy, &run->arena, verdict);
        return verdict ? verdict : &run->judged.verdict;
}

/* Of the user's home only some of it is shown. */
static bool is_hidden(void *context, const char *path) {
        const struct run *run = context;
        const struct home *home = &run->attempt.host.home;
        char real[PATH_MAX];

        if (!realpath(path, real) || !path_below(real, home->path) || path_within(real, run->facts.host.workspace))
                return false;
        for (size_t i = 0; i < home->count; i++)
                if (path_within(real, home->items[i].source))
                        return false;
        return true;
}

/* Of output that is passed on, what was seen; of a command that succeeded, nothing is to be said. */
static struct str output_of(struct run *run) {
        struct captured captured;

        if (!run->lent.seen)
                return run->result.captured.text;
        stream_end(run->lent.seen);
        if ((!run->result.out.exit_code && !run->result.out.signal) ||
            stream_finish(run->lent.seen, &run->arena, &captured, &run->result.err) < 0)
                return STR("");
        return captured.text;
}

void run_explain(struct run *run) {
        const struct backend *backend = run->attempt.choice.items[run->attempt.tried - 1];
        bool own_home = run->attempt.host.home.path && backend->own_home;
        struct explain_input input = {
                .policy = run->order.policy,
                .verdict = verdict_of(run),
                .exit_code = run->result.out.signal ? -1 : run->result.out.exit_code,
                .signal = run->result.out.signal,
                .place = run->order.options.background ? EXPLAIN_BACKGROUND
                         : run->lent.out_stream        ? EXPLAIN_SESSION
                                                       : EXPLAIN_ALONE,
                .timed_out = run->job.outcome.timed_out,
                .cancelled = run->job.outcome.cancelled,
                .memory_killed = run->job.outcome.memory_killed,
                .user_memory_killed = run->result.user_memory_killed,
                .output_known = run->order.options.capture,
                .timeout = run->facts.timeout,
                .output = output_of(run),
                .masked = masked_of(run),
                .read_only = protected_of(run),
                .matched = matched_of(run),
                .programs = programs_of(run),
                .writable = writable_of(run),
                .refused = run_network_refusals(run),
                .served = run->result.out.exit_code ? shell_ports_served(run) : NULL,
                .workspace = run->facts.host.workspace,
                .home = run->facts.host.homes.count ? run->facts.host.homes.items[0].path : NULL,
                .cwd = run->facts.host.cwd,
                .is_hidden = own_home ? is_hidden : NULL,
                .context = run,
                .ret_findings = &run->result.findings,
        };
        struct str text = {};

        if (explain(&input, &run->arena, &text, &run->result.err) == 0 && text.len)
                run->result.out.explanation = arena_dup(&run->arena, text);
}

/* ---- limits ---- */

static enum bailey_limit_state limit_state(int64_t wanted, bool held) {
        return wanted == 0 ? BAILEY_LIMIT_NONE : held ? BAILEY_LIMIT_ENFORCED : BAILEY_LIMIT_BEST_EFFORT;
}

static enum bailey_limit_state unless_ignored(const struct run *run, enum launch_ignored limit, enum bailey_limit_state state) {
        return state != BAILEY_LIMIT_NONE && run->attempt.launch.limits_ignored & limit ? BAILEY_LIMIT_NOT_ENFORCED : state;
}

static enum bailey_limit_state kept_or_not(int64_t wanted, bool held) {
        return wanted == 0 ? BAILEY_LIMIT_NONE : held ? BAILEY_LIMIT_ENFORCED : BAILEY_LIMIT_NOT_ENFORCED;
}

enum { LIMITS_MAX = 8 };

static size_t container_limits(const struct run *run, struct bailey_limit *limits) {
        const struct sandbox_policy *sandbox = &run->order.policy->sandbox;
        const struct launch_container *c = run->attempt.launch.container;
        size_t count = 0;

        for (uint32_t i = 0; i < ENGINE_LIMITS; i++)
                limits[count++] = (struct bailey_limit){ engine_limit_names[i],
                                                         kept_or_not(c->limits_wanted & 1U << i, c->limits & 1U << i) };
        limits[count++] =
                (struct bailey_limit){ "cpu", unless_ignored(run, IGNORED_CPU, limit_state(sandbox->max_cpu_secs, false)) };
        limits[count++] = (struct bailey_limit){ "file", limit_state(sandbox->max_file_bytes, true) };
        limits[count++] = (struct bailey_limit){ "open_files", limit_state(sandbox->max_open_files, true) };
        return count;
}

static size_t own_limits(const struct run *run, struct bailey_limit *ret) {
        const struct sandbox_policy *sandbox = &run->order.policy->sandbox;
        bool in_job = run->attempt.launch.appcontainer; /* whose limits the kernel holds to */
        uint32_t held = run->order.shared ? cgroup_shared_limits(run->order.shared) : 0;
        const struct bailey_limit limits[] = {
                { "memory",
                  unless_ignored(run, IGNORED_MEMORY,
                                 limit_state(sandbox->max_memory_bytes, in_job || run->attempt.launch.group.memory_bytes)) },
                { "pids",
                  unless_ignored(run, IGNORED_PIDS, limit_state(sandbox->max_pids, in_job || run->attempt.launch.group.pids)) },
                { "cpu", unless_ignored(run, IGNORED_CPU, limit_state(sandbox->max_cpu_secs, in_job)) },
                { "file", unless_ignored(run, IGNORED_FILES, limit_state(sandbox->max_file_bytes, true)) },
                { "open_files", unless_ignored(run, IGNORED_FILES, limit_state(sandbox->max_open_files, true)) },
                { "user_memory", kept_or_not(run->attempt.launch.share.memory_percent, held & CGROUP_MEMORY) },
                { "user_pids", kept_or_not(run->attempt.launch.share.pids, held & CGROUP_PIDS) },
        };

        memcpy(ret, limits, sizeof(limits));
        return sizeof(limits) / sizeof(*limits);
}

/* ---- handing out ---- */

static const char *const *guarantee_names(struct run *run, uint32_t guarantees) {
        const char **names =
                run->attempt.launch.backend ? arena_alloc(&run->arena, (GUARANTEE_COUNT + 1) * sizeof(*names)) : NULL;
        size_t count = 0;

        for (uint32_t i = 0; names && i < GUARANTEE_COUNT; i++)
                if (guarantees & 1U << i)
                        names[count++] = guarantee_name((enum guarantee)(1U << i));
        return names;
}

const char *const *run_guarantee_names(struct run *run) {
        return guarantee_names(run, run->attempt.launch.guarantees);
}

void run_free(struct run *run) {
        launch_reap(&run->job.launched);
        if (run->facts.host_cache)
                host_cache_leave(run->facts.host_cache);
        run_network_forget(run);
        fd_close(run->evidence.notes);
        buf_free(&run->begun.left);
        bailey_policy_free(run->order.own);
        arena_free(&run->arena);
        free(run);
}

/* Either all hosts are kept from a command, or those that are not listed. */
static uint32_t not_enforced(const struct run *run) {
        uint32_t other = network_is_filtered(run->order.policy->sandbox.network) ? GUARANTEE_NETWORK : GUARANTEE_HOSTS;

        return ~(run->attempt.launch.guarantees | other);
}

static int put_plan(struct run *run) {
        struct bailey_outcome *o = &run->result.out;
        struct bailey_limit *limits;

        if (!run->attempt.launch.backend)
                return 0;
        limits = arena_alloc(&run->arena, LIMITS_MAX * sizeof(*limits));
        if (!limits)
                return -1;
        o->planned = run->attempt.launch.backend;
        o->enforced = run_guarantee_names(run);
        o->not_enforced = guarantee_names(run, not_enforced(run));
        o->limits = limits;
        o->limit_count = (run->attempt.launch.container ? container_limits : own_limits)(run, limits);
        return o->enforced && o->not_enforced ? 0 : -1;
}

static int put_notices(struct run *run) {
        const char **notices;

        if (run->result.notice_count == 0)
                return 0;
        notices = arena_alloc(&run->arena, (run->result.notice_count + 1) * sizeof(*notices));
        if (!notices)
                return -1;
        memcpy(notices, run->result.notices, run->result.notice_count * sizeof(*notices));
        run->result.out.notices = notices;
        return 0;
}

int run_hand_out(struct run *run, struct bailey_outcome *ret) {
        struct bailey_outcome *o = &run->result.out;

        o->action = (enum bailey_action)run->judged.verdict.action;
        o->truncated = run->result.captured.truncated;
        o->invalid_utf8 = run->result.captured.invalid_utf8;
        if (put_plan(run) < 0 || put_notices(run) < 0 || run_evidence_findings(run) < 0 ||
            verdict_reasons(&run->judged.verdict, &run->arena, &o->reasons, &o->reason_count) < 0) {
                run_free(run);
                return -1;
        }
        *ret = *o;
        ret->memory = run;
        return 0;
}

void bailey_outcome_free(struct bailey_outcome *outcome) {
        struct run *run = outcome->memory;

        if (!run)
                return;
        run_free(run);
        *outcome = (struct bailey_outcome){};
}
