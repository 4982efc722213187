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

enum { TEXT_MAX = 4096, LINE_MAX_ESCAPED = 4 * TEXT_MAX, JSON_MAX = 256 << 20, WARN_EVERY_SECONDS = 60 };

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
        if (text && run->notice_count < NOTICES_MAX)
                run->notices[run->notice_count++] = text;
}

bool run_may_warn(const struct run *run) {
        FD_AUTO directory = -1, file = -1;
        struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };
        struct stat st;

        if (directory_make(run->state, &directory, NULL) < 0)
                return true;
        if (fstatat(directory, "no-sandbox", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            time_realtime() / TIME_SECOND - st.st_mtime < WARN_EVERY_SECONDS)
                return false;
        file = openat(directory, "no-sandbox", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file >= 0)
                futimens(file, now);
        return true;
}

void run_show_plan(struct run *run) {
        BUF_AUTO text;

        buf_init(&text, JSON_MAX);
        launch_print(&run->launch, &text);
        run->out.end = BAILEY_PLANNED;
        run->out.output = arena_dup(&run->arena, buf_str(&text));
        run->out.output_length = run->out.output ? text.len : 0;
}

/* ---- the explanation ---- */

static const char *const no_paths[] = { NULL };

static const char *const *masked_of(struct run *run) {
        const struct host_paths *list = &run->host.masks;
        const char **paths = arena_alloc(&run->arena, (list->count + 1) * sizeof(*paths));

        for (size_t i = 0; paths && i < list->count; i++)
                paths[i] = list->items[i].path;
        return paths ? paths : no_paths;
}

static const char *const *protected_of(struct run *run) {
        const struct protected_paths *list = &run->host.protection.read_only;
        const struct host_paths *denied = &run->host.write_deny;
        const char **paths = arena_alloc(&run->arena, (list->count + denied->count + 1) * sizeof(*paths));

        for (size_t i = 0; paths && i < list->count; i++)
                paths[i] = list->items[i].path;
        for (size_t i = 0; paths && i < denied->count; i++)
                paths[list->count + i] = denied->items[i].path;
        return paths ? paths : no_paths;
}

static const char *const *matched_of(struct run *run) {
        const struct host_paths *lists[] = { &run->host.masks, &run->host.write_deny };
        const char **paths = arena_alloc(&run->arena, (lists[0]->count + lists[1]->count + 1) * sizeof(*paths));
        size_t count = 0;

        for (size_t j = 0; paths && j < 2; j++)
                for (size_t i = 0; i < lists[j]->count; i++)
                        if (lists[j]->items[i].pattern)
                                paths[count++] = lists[j]->items[i].path;
        return paths ? paths : no_paths;
}

static const char *const *programs_of(struct run *run) {
        const struct host_paths *denied = &run->host.write_deny;
        const char **paths = arena_alloc(&run->arena, (denied->count + 1) * sizeof(*paths));
        size_t count = 0;

        for (size_t i = 0; paths && i < denied->count; i++)
                if (denied->items[i].program)
                        paths[count++] = denied->items[i].path;
        return paths ? paths : no_paths;
}

static const char *const *writable_of(struct run *run) {
        const struct landlock_plan *landlock = &run->launch.landlock;
        const char **paths = arena_alloc(&run->arena, (landlock->rule_count + 1) * sizeof(*paths));
        size_t count = 0;

        for (size_t i = 0; paths && i < landlock->rule_count; i++)
                if (landlock->rules[i].grant & ~(uint32_t)GRANT_READ)
                        paths[count++] = landlock->rules[i].path;
        return paths ? paths : no_paths;
}

/* What the guard knows of the command. Where it is off, it reads a command that has failed now, only for that. */
static const struct verdict *verdict_of(struct run *run) {
        struct policy policy = *run->policy;
        struct verdict *verdict;

        if (policy.guard.mode != GUARD_OFF || (!run->out.exit_code && !run->out.signal && !run->captured.text.len))
                return &run->verdict;
        policy.guard.mode = GUARD_WARN;
        verdict = ARENA_NEW(&run->arena, struct verdict);
        if (verdict)
                guard_check(run->command, &policy, &run->arena, verdict);
        return verdict ? verdict : &run->verdict;
}

void run_explain(struct run *run) {
        struct explain_input input = {
                .policy = run->policy,
                .verdict = verdict_of(run),
                .exit_code = run->out.signal ? -1 : run->out.exit_code,
                .signal = run->out.signal,
                .place = run->options.background ? EXPLAIN_BACKGROUND
                         : run->out_stream       ? EXPLAIN_SESSION
                                                 : EXPLAIN_ALONE,
                .timed_out = run->job.outcome.timed_out,
                .cancelled = run->job.outcome.cancelled,
                .memory_killed = run->job.outcome.memory_killed,
                .user_memory_killed = run->user_memory_killed,
                .output_known = run->options.capture,
                .timeout = run->timeout,
                .output = run->captured.text,
                .masked = masked_of(run),
                .read_only = protected_of(run),
                .matched = matched_of(run),
                .programs = programs_of(run),
                .writable = writable_of(run),
                .workspace = run->host.workspace,
                .home = run->host.homes.count ? run->host.homes.items[0].path : NULL,
        };
        struct str text = {};

        if (explain(&input, &run->arena, &text, &run->err) == 0 && text.len)
                run->out.explanation = arena_dup(&run->arena, text);
}

/* ---- JSON ---- */

static const char *const end_names[] = {
        [BAILEY_EXITED] = "exited",   [BAILEY_TIMED_OUT] = "timed_out", [BAILEY_CANCELLED] = "cancelled",
        [BAILEY_REFUSED] = "refused", [BAILEY_NOT_FOUND] = "not_found", [BAILEY_FAILED] = "failed",
        [BAILEY_PLANNED] = "planned",
};

static void json_text(struct buf *out, const char *name, const char *text) {
        buf_format(out, ",\"%s\":", name);
        if (text)
                buf_json(out, str_z(text));
        else
                buf_append(out, STR("null"));
}

static void json_walls(struct buf *out, const char *name, uint32_t walls) {
        const char *comma = "";

        buf_format(out, ",\"%s\":[", name);
        for (uint32_t i = 0; i < WALL_COUNT; i++)
                if (walls & 1U << i) {
                        buf_format(out, "%s\"%s\"", comma, wall_name((enum wall)(1U << i)));
                        comma = ",";
                }
        buf_char(out, ']');
}

static const char *limit_state(int64_t wanted, bool held) {
        return wanted == 0 ? "none" : held ? "enforced" : "best effort";
}

static const char *unless_ignored(const struct run *run, enum launch_ignored limit, const char *state) {
        return strcmp(state, "none") != 0 && run->launch.limits_ignored & limit ? "not enforced" : state;
}

static const char *user_limit_state(int64_t wanted, bool held) {
        return wanted == 0 ? "none" : held ? "enforced" : "not enforced";
}

static const char *engine_limit_state(const struct launch_container *c, uint32_t limit) {
        return !(c->limits_wanted & limit) ? "none" : c->limits & limit ? "enforced" : "not enforced";
}

static void json_container_limits(const struct run *run, struct buf *out) {
        const struct sandbox_policy *sandbox = &run->policy->sandbox;
        const struct launch_container *c = run->launch.container;

        buf_append(out, STR(",\"limits\":{"));
        for (uint32_t i = 0; i < ENGINE_LIMITS; i++)
                buf_format(out, "\"%s\":\"%s\",", engine_limit_names[i], engine_limit_state(c, 1U << i));
        buf_format(out, "\"cpu\":\"%s\",\"file\":\"%s\",\"open_files\":\"%s\"}",
                   unless_ignored(run, IGNORED_CPU, limit_state(sandbox->max_cpu_secs, false)),
                   sandbox->max_file_bytes ? "enforced" : "none", sandbox->max_open_files ? "enforced" : "none");
}

static void json_limits(const struct run *run, struct buf *out) {
        const struct sandbox_policy *sandbox = &run->policy->sandbox;
        bool in_job = run->launch.appcontainer; /* whose limits the kernel holds to */
        uint32_t held = run->shared ? cgroup_shared_limits(run->shared) : 0;

        if (run->launch.container) {
                json_container_limits(run, out);
                return;
        }

        buf_format(out,
                   ",\"limits\":{\"memory\":\"%s\",\"pids\":\"%s\",\"cpu\":\"%s\",\"file\":\"%s\",\"open_files\":\"%s\","
                   "\"user_memory\":\"%s\",\"user_pids\":\"%s\"}",
                   unless_ignored(run, IGNORED_MEMORY,
                                  limit_state(sandbox->max_memory_bytes, in_job || run->launch.group.memory_bytes)),
                   limit_state(sandbox->max_pids, in_job || run->launch.group.pids),
                   unless_ignored(run, IGNORED_CPU, limit_state(sandbox->max_cpu_secs, in_job)),
                   unless_ignored(run, IGNORED_FILES, limit_state(sandbox->max_file_bytes, true)),
                   unless_ignored(run, IGNORED_FILES, limit_state(sandbox->max_open_files, true)),
                   user_limit_state(run->launch.share.memory_percent, held & CGROUP_MEMORY),
                   user_limit_state(run->launch.share.pids, held & CGROUP_PIDS));
}

static void json_output(const struct run *run, struct buf *out) {
        if (!run->out.output)
                return;
        buf_append(out, STR(",\"output\":"));
        buf_json(out, str_from(run->out.output, run->out.output_length));
        buf_format(out, ",\"output_bytes\":%llu,\"truncated\":%s,\"elided_bytes\":%llu,\"invalid_utf8\":%s",
                   run->out.output_bytes, run->captured.truncated ? "true" : "false", run->out.elided_bytes,
                   run->captured.invalid_utf8 ? "true" : "false");
}

static void json_outcome(const struct run *run, struct buf *out) {
        const struct bailey_outcome *o = &run->out;

        buf_format(out, "{\"schemaVersion\":1,\"end\":\"%s\",\"exit_code\":%d", end_names[o->end], o->exit_code);
        buf_format(out, o->signal ? ",\"signal\":%d" : ",\"signal\":null", o->signal);
        buf_format(out, ",\"timed_out\":%s,\"cancelled\":%s,\"duration_ms\":%lld",
                   run->job.outcome.timed_out ? "true" : "false", run->job.outcome.cancelled ? "true" : "false",
                   o->duration_ms);
        json_output(run, out);
        json_text(out, "message", o->message);
        json_text(out, "explanation", o->explanation);
        buf_append(out, STR(",\"notices\":["));
        for (size_t i = 0; i < run->notice_count; i++) {
                if (i)
                        buf_char(out, ',');
                buf_json(out, str_z(run->notices[i]));
        }
        buf_char(out, ']');
        json_text(out, "backend", run->launch.backend);
        if (run->launch.backend) {
                json_walls(out, "enforced", run->launch.walls);
                json_walls(out, "not_enforced", ((1U << WALL_COUNT) - 1) & ~run->launch.walls);
                json_limits(run, out);
        }
        buf_format(out, ",\"verdict\":{\"action\":\"%s\",", action_name(run->verdict.action));
        verdict_reasons_json(&run->verdict, out);
        buf_append(out, STR("}}"));
}

/* ---- handing out ---- */

const char *const *run_wall_names(struct run *run) {
        const char **names = run->launch.backend ? arena_alloc(&run->arena, (WALL_COUNT + 1) * sizeof(*names)) : NULL;
        size_t count = 0;

        for (uint32_t i = 0; names && i < WALL_COUNT; i++)
                if (run->launch.walls & 1U << i)
                        names[count++] = wall_name((enum wall)(1U << i));
        return names;
}

static const char *const *rule_names(struct run *run) {
        size_t count = 0;
        const char **names;

        for (const struct reason *r = run->verdict.reasons; r; r = r->next)
                count++;
        names = count ? arena_alloc(&run->arena, (count + 1) * sizeof(*names)) : NULL;
        count = 0;
        for (const struct reason *r = run->verdict.reasons; names && r; r = r->next)
                if ((names[count] = arena_dup(&run->arena, r->id)))
                        count++;
        return names;
}

void run_free(struct run *run) {
        launch_reap(&run->job.launched);
        if (run->host_cache)
                host_cache_leave(run->host_cache);
        arena_free(&run->arena);
        free(run);
}

static const char *join_notices(struct run *run) {
        struct buf text;
        const char *joined;

        if (run->notice_count == 0)
                return NULL;
        buf_init(&text, JSON_MAX);
        for (size_t i = 0; i < run->notice_count; i++)
                buf_format(&text, "%s%s", i ? "\n" : "", run->notices[i]);
        joined = arena_dup(&run->arena, buf_str(&text));
        buf_free(&text);
        return joined;
}

int run_hand_out(struct run *run, struct bailey_outcome *ret) {
        struct buf json;

        run->out.notices = join_notices(run);
        run->out.enforced = run_wall_names(run);
        run->out.rules = rule_names(run);
        buf_init(&json, JSON_MAX);
        json_outcome(run, &json);
        run->out.json = arena_dup(&run->arena, buf_str(&json));
        run->out.json_length = json.len;
        buf_free(&json);
        if (!run->out.json) {
                run_free(run);
                return -1;
        }
        *ret = run->out;
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
