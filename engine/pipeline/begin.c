/*
 * Prepares a run for its launch: the text, the verdict, the facts about the host.
 */
#include "engine/pipeline/run.h"

#include "base/path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/pipeline/record.h"
#include "engine/pipeline/verdict.h"
#include "launch/cgroup.h"
#include "policy/files.h"
#include "sandbox/host_parts.h"

/* A session asks again after this long: another program may have been killed. */
#define RECOVER_EVERY (10 * TIME_SECOND)

enum { HOME_TRIES = 5 };

/* ---- the request ---- */

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
        const struct bailey_run_options *options = &run->order.options;
        BUF_AUTO text;
        char *copy;

        buf_init(&text, COMMAND_MAX);
        if (options->command) {
                run->judged.command = str_z(options->command);
                return 0;
        }
        if (!options->argv || !options->argv[0])
                return err_set(&run->result.err, ERR_INVALID, "no command given");
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
                return err_set(&run->result.err, ERR_TOO_COMPLEX, "the command is longer than %d bytes", COMMAND_MAX);
        run->judged.command = str_from(copy, text.len);
        return 0;
}

/* Where relative paths begin: as host_gather() will find it, but for links. */
static struct str start_of(struct run *run) {
        struct str workspace = run->order.policy->workspace;
        const char *cwd = run->begun.cwd;
        char *start;

        if (!cwd || cwd[0] == '/' || !workspace.len)
                return cwd && cwd[0] == '/' ? str_z(cwd) : workspace;
        start = arena_bytes(&run->arena, workspace.len + strlen(cwd) + 2);
        if (!start)
                return workspace;
        snprintf(start, workspace.len + strlen(cwd) + 2, "%.*s/%s", (int)workspace.len, workspace.ptr, cwd);
        return str_z(start);
}

static void notice_reasons(struct run *run) {
        for (const struct reason *r = run->judged.verdict.reasons; r; r = r->next)
                run_notice(run, "%.*s: %.*s", (int)r->id.len, r->id.ptr, (int)r->message.len, r->message.ptr);
}

static bool is_in_workspace(struct run *run, const char *path) {
        const char *workspace = arena_dup(&run->arena, run->order.policy->workspace);

        return !workspace || path_within(path, workspace);
}

/* The home directory that commands have of their own; empty: none. The backend is not known yet: those that give them none let
 * none be written, but for `none`. With fs_write_allow, parts of it may be the user's. */
static struct str own_home_of(struct run *run) {
        const struct sandbox_policy *sandbox = &run->order.policy->sandbox;
        const char *named = environment_get(run->order.options.environment, "BAILEY_SANDBOX");
        const char *home = environment_get(run->order.options.environment, "HOME");

        if (!home || !run->order.policy->workspace.len || sandbox->home != HOME_OWN || sandbox->backend == BACKEND_NONE ||
            sandbox->fs_write_allow.count || is_in_workspace(run, home) || (named && strcmp(named, "none") == 0))
                return STR("");
        return str_z(home);
}

/* Whatever sandbox it will be, it enforces the policy's network, or the command does not run. Where its user can be asked for a
 * host, or was, that is better than to let it fail. */
static bool is_contained(const struct run *run) {
        const struct sandbox_policy *sandbox = &run->order.policy->sandbox;
        const struct bailey_run_options *options = &run->order.options;
        bool asked = options->consent >= BAILEY_CONSENT_TO_ASK || (options->consent == BAILEY_CONSENT_NONE && options->agreed);
        const char *named = environment_get(run->order.options.environment, "BAILEY_SANDBOX");

        return !asked && sandbox->network != NETWORK_INHERIT && sandbox->backend != BACKEND_NONE && !run->order.options.force &&
               !(named && strcmp(named, "none") == 0);
}

void run_place(struct run *run, struct guard_place *ret) {
        *ret = (struct guard_place){ .start = start_of(run),
                                     .home = own_home_of(run),
                                     .contained = is_contained(run),
                                     .variables = run->begun.bindings,
                                     .variable_count = run->begun.binding_count };
}

static int check(struct run *run) {
        struct guard_place place;

        run_place(run, &place);
        guard_check_at(run->judged.command, &place, run->order.policy, &run->arena, &run->judged.verdict);
        if (run->order.bypassed)
                run->judged.verdict.action = ACTION_ALLOWED;
        return 0;
}

int run_judge(struct run *run) {
        return run_state_begin(run) < 0 || command_text(run) < 0 || check(run) < 0 ? -1 : 0;
}

/* In the mode "warn" its user wants nothing to be stopped, but for what is listed to be asked about. */
bool run_reason_asks(const struct run *run, const struct reason *reason) {
        bool listed = reason->effect && reason->effect->flags & NAME_ASKED;

        if (reason->severity == SEVERITY_BLOCK || (run->order.policy->guard.mode == GUARD_WARN && !listed))
                return false;
        for (const struct accepted *a = run->lent.accepted; a; a = a->next)
                if (str_eq(a->rule, reason->id) && str_eq(a->what, reason->what))
                        return false;
        return true;
}

static bool asks(const struct run *run) {
        for (const struct reason *r = run->judged.verdict.reasons; r; r = r->next)
                if (run_reason_asks(run, r))
                        return true;
        return false;
}

static bool has_needs(const struct bailey_run_options *options) {
        return (options->need_hosts && options->need_hosts[0]) || (options->need_write && options->need_write[0]);
}

/* Is it one that only the user can let through? */
static bool lacks_consent(const struct run *run) {
        const struct bailey_run_options *options = &run->order.options;
        enum action action = run->judged.verdict.action;

        if (options->consent >= BAILEY_CONSENT_ONCE)
                return false;
        if (has_needs(options) || (action == ACTION_BLOCKED && options->consent == BAILEY_CONSENT_TO_ASK))
                return true;
        return action == ACTION_WARNED && options->consent != BAILEY_CONSENT_ASSUMED && asks(run);
}

static int refuse(struct run *run) {
        const char *refusal = run->order.options.consent == BAILEY_CONSENT_NONE ? run->order.options.refusal : NULL;
        BUF_AUTO text;

        buf_init(&text, COMMAND_MAX);
        verdict_reasons_text(&run->judged.verdict, &text);
        if (refusal)
                buf_format(&text, "%s%s", text.len ? "\n" : "", refusal);
        if (!text.len)
                buf_append(&text, STR("the command needs what the policy does not allow, and nobody was asked for it"));
        buf_char(&text, 0);
        run->result.out.end = BAILEY_REFUSED;
        run->result.out.exit_code = RUN_EXIT_REFUSED;
        run->result.out.message = text.failed ? "refused" : arena_dup(&run->arena, str_z(text.ptr));
        return -1;
}

static int judge(struct run *run) {
        if (run->order.bypassed)
                run_notice(run, "the guard is disabled by %.*s", (int)run->order.policy->guard.bypass_env_var.len,
                           run->order.policy->guard.bypass_env_var.ptr);
        if (lacks_consent(run)) {
                run->judged.to_ask = run->order.options.consent == BAILEY_CONSENT_TO_ASK;
                return run->judged.to_ask ? -1 : refuse(run);
        }
        if (run->judged.verdict.action == ACTION_BLOCKED)
                return refuse(run);
        if (run->judged.verdict.action == ACTION_WARNED)
                notice_reasons(run);
        return 0;
}

/* ---- where it runs ---- */

static uint32_t groups_of(const struct sandbox_policy *sandbox) {
        uint32_t had = sandbox->max_memory_bytes || sandbox->max_pids ? cgroup_probe() : 0;

        return (had & CGROUP_MEMORY ? GROUP_MEMORY : 0) | (had & CGROUP_PIDS ? GROUP_PIDS : 0);
}

/* What is protected, which a command that will write there has to leave as it is. */
static int protect(struct run *run) {
        const struct sandbox_policy *sandbox = &run->order.policy->sandbox;
        const char *home = environment_get(run->order.options.environment, "HOME");

        /* A stage is judged when it is applied. */
        if (!sandbox->workspace_write || !sandbox->protect_workspace || run->order.options.plan_only ||
            run->order.options.stage)
                return protect_survey(run->facts.host.workspace, home, NULL, &run->arena, &run->facts.host.protection,
                                      &run->result.err);
        return run_protect_begin(run);
}

static int look_inside(struct run *run, const struct host_question *question) {
        if (protect(run) < 0)
                return err_context(&run->result.err, "workspace %s", run->facts.host.workspace);
        for (size_t i = 0; i < run->facts.host.notice_count; i++)
                run_notice(run, "%s", run->facts.host.notices[i]);
        for (size_t i = 0; i < run->facts.host.protection.notice_count; i++)
                run_notice(run, "%s", run->facts.host.protection.notices[i]);
        return host_gather_inside(run->order.policy, question, &run->arena, &run->facts.host, &run->result.err);
}

/* The home of the workspace may be removed at this moment: try again, but not without end. */
static int get_host(struct run *run, const struct host_question *question) {
        int gone = 1;

        for (int i = 0; i < HOME_TRIES && gone > 0; i++) {
                if (run->facts.host_cache)
                        host_cache_leave(run->facts.host_cache);
                run->facts.host_cache = host_cache_get(run->lent.kept, run->order.policy, question, &run->result.err);
                if (!run->facts.host_cache)
                        return -1;
                run->facts.host = run->facts.host_cache->host;
                gone = run_home_hold(run);
        }
        return gone > 0 ? err_set(&run->result.err, ERR_CHANGED, "the home of this workspace is being removed; try again")
                        : gone;
}

static int look_around(struct run *run) {
        struct host_question question = {
                .workspace = run->order.policy->workspace.len ? arena_dup(&run->arena, run->order.policy->workspace) : NULL,
                .cwd = run->begun.cwd,
                .environment = run->order.options.environment,
                .program = run->order.program,
                .audit = run->order.policy->audit.enabled ? audit_path(run->order.audit) : NULL,
                .force = run->order.options.force,
        };

        if (get_host(run, &question) < 0 || run_home_check(run) < 0)
                return -1;
        run->facts.request.envp = run->facts.host_cache->envp;
        if (run_state_environment(run) < 0)
                return -1;
        if (look_inside(run, &question) < 0 || run_stage_begin(run) < 0)
                return -1;
        run->facts.host.groups = groups_of(&run->order.policy->sandbox);
        return 0;
}

static void ask_for(struct run *run) {
        const char *bash = NULL;

        run->facts.request.input = run->order.options.in_fd > 0 || run->lent.typed;
        if (!run->order.options.command && run->order.options.argv) { /* what was judged is what runs */
                run->facts.request.program = run->order.options.argv[0];
                run->facts.request.argv = run->order.options.argv;
                return;
        }
        for (const char *const *place = host_places.shells; *place && !bash; place++)
                if (access(*place, X_OK) == 0)
                        bash = *place;
        run->facts.request.program = bash ? bash : "bash";
        run->facts.shell_argv[0] = "bash";
        run->facts.shell_argv[1] = "-c";
        run->facts.shell_argv[2] = run->order.options.command;
        run->facts.request.argv = run->facts.shell_argv;
        run->facts.request.command = run->order.options.command;
}

static int64_t timeout_asked(struct run *run, long long asked) {
        const struct run_policy *limits = &run->order.policy->run;

        if (asked > limits->timeout_max / 1000000) {
                run_notice(run, "timeout capped at run.timeout_max (%g s)", (double)limits->timeout_max / 1e9);
                return limits->timeout_max;
        }
        return asked * INT64_C(1000000);
}

static int64_t deadline_of(struct run *run) {
        const struct run_policy *limits = &run->order.policy->run;
        long long asked = run->order.options.timeout_ms;
        int64_t timeout = asked > 0 ? timeout_asked(run, asked) : asked < 0 ? 0 : limits->timeout;

        if (run->order.options.background && (asked <= 0 || timeout > limits->background_max))
                return limits->background_max;
        return timeout;
}

static void recover(struct run *run) {
        int64_t now = time_monotonic();
        struct err err = {};

        if (run->lent.recovered && *run->lent.recovered && now - *run->lent.recovered < RECOVER_EVERY)
                return;
        if (run_protect_recover(run, &err) < 0)
                run_notice(run, "clean-up after a killed command: %s", err.msg);
        else if (run->lent.recovered)
                *run->lent.recovered = now;
}

static int prepare(struct run *run) {
        struct directory state;
        struct err err = {};
        FD_AUTO made = -1;

        if (directory_need_state(run->order.options.environment, &state, &run->result.err) < 0)
                return -1;
        run->facts.state = arena_dup(&run->arena, str_z(state.path));
        if (directory_make(state.path, &made, &err) < 0)
                return err_set(&run->result.err, ERR_SYSTEM, "%s; set XDG_STATE_HOME to a directory that can be written",
                               err.msg);
        recover(run);
        run->facts.timeout = deadline_of(run);
        return record_ready(run, &run->result.err);
}

/* Sets up its output. The secrets have to be known. */
static int open_streams(struct run *run) {
        const struct run_policy *limits = &run->order.policy->run;
        enum terminal_text_mode mode = limits->ansi == ANSI_KEEP ? TERMINAL_KEEP : TERMINAL_TEXT;
        int64_t limit = run->order.options.background ? limits->background_output_bytes : limits->output_bytes;
        const struct redactor *redactor = NULL;

        if (run->lent.seen && !run->order.options.plan_only)
                return stream_init(run->lent.seen, EXPLAIN_OUTPUT_MAX, TERMINAL_TEXT, NULL, &run->result.err);
        if (!run->lent.out_stream || run->order.options.plan_only)
                return 0;
        if (secrets_redactor(run->lent.secrets, run->order.policy, &run->facts.host, run->order.options.environment, &redactor,
                             &run->result.err) < 0 ||
            stream_init(run->lent.out_stream, (size_t)limit, mode, redactor, &run->result.err) < 0)
                return -1;
        run->lent.out_stream->screen = run->lent.screen;
        return run->lent.err_stream ? stream_init(run->lent.err_stream, (size_t)limit, mode, redactor, &run->result.err) : 0;
}

int run_prepare(struct run *run) {
        ask_for(run);
        if (id_new(run->id, &run->result.err) < 0 || run_judge(run) < 0 || judge(run) < 0 || prepare(run) < 0 ||
            look_around(run) < 0)
                return -1;
        return open_streams(run);
}
