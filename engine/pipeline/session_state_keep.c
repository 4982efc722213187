/*
 * The end of a command: what is kept of the state that its shell has left.
 *
 * The report comes from a process of the command. So it is taken apart as hostile input: it is bounded; names are those that
 * may be kept (policy/env_left.h); PATH gets no directory that is relative, nor one outside of the workspace that everybody can
 * write; the directory is in the workspace, and is looked up again when a command starts there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "engine/pipeline/run.h"
#include "launch/warm/state_page.h"
#include "policy/env_left.h"

enum { NAMES_TOLD_MAX = 512, TOLD_TEXT_MAX = 4096, TEXTS_MAX = 512 };

/* ---- the directory ---- */

static bool is_plain_path(struct str path) {
        static const struct str parts[] = { STR("//"), STR("/./"), STR("/../") };
        struct str last = str_skip(path, 1);

        while (str_find(last, '/') < last.len)
                last = str_skip(last, str_find(last, '/') + 1);
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
                for (size_t at = 0; at < path.len; at++)
                        if (str_starts(str_skip(path, at), parts[i]))
                                return false;
        return last.len && !str_eq(last, STR(".")) && !str_eq(last, STR(".."));
}

static void move(struct run *run, const char *path) {
        const char *workspace = run->facts.host.workspace;
        bool home = strcmp(path, workspace) == 0;
        char *copy = home ? NULL : strdup(path);

        if (!home && !copy)
                return;
        free(run->lent.state->cwd);
        run->lent.state->cwd = copy;
}

static void keep_directory(struct run *run, struct str text) {
        const char *path = arena_dup(&run->arena, text), *workspace = run->facts.host.workspace;

        if (!path || strcmp(path, run->facts.host.cwd) == 0)
                return;
        if (strcmp(workspace, "/") != 0 && (!is_plain_path(text) || !path_within(path, workspace))) {
                run_notice(run, "%s is not in the workspace: the next command starts in %s", path,
                           run->lent.state->cwd ? run->lent.state->cwd : workspace);
                return;
        }
        move(run, path);
}

/* ---- variables ---- */

/* Names, for a sentence. */
struct told {
        struct buf names;
        size_t left_out;
};

static void add_name(struct told *told, struct str name, const char *why) {
        if (told->names.len + name.len > NAMES_TOLD_MAX) {
                told->left_out++;
                return;
        }
        if (told->names.len)
                buf_append(&told->names, STR(", "));
        buf_append(&told->names, name);
        buf_format(&told->names, " (%s)", why);
}

static struct str value_of(const char *const *envp, const char *name) {
        size_t len = strlen(name);

        for (; *envp; envp++)
                if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=')
                        return str_z(*envp + len + 1);
        return STR("");
}

static bool has_directory(struct str path, struct str directory) {
        while (path.len) {
                struct str item = str_take(path, str_find(path, ':'));

                if (str_eq(item, directory))
                        return true;
                path = str_skip(path, item.len < path.len ? item.len + 1 : item.len);
        }
        return false;
}

/* Returns why it cannot be kept; NULL: it can, and what is new in it is told. */
static const char *check_path(struct run *run, struct str value) {
        struct str before = value_of(run->attempt.launch.envp, "PATH"), rest = value;
        size_t added = 0;

        if (value.len == 0 || value.ptr[value.len - 1] == ':')
                return "it names the current directory";
        while (rest.len) {
                struct str item = str_take(rest, str_find(rest, ':'));

                rest = str_skip(rest, item.len < rest.len ? item.len + 1 : item.len);
                if (has_directory(before, item))
                        continue;
                if (!env_left_path_ok(item, str_z(run->facts.host.workspace)))
                        return "it names a directory that is relative or that everybody can write";
                if (added++ == 0)
                        run_notice(run, "the next commands also find programs in %.*s: PATH is kept", (int)item.len, item.ptr);
        }
        return NULL;
}

static const char *refusal(struct run *run, struct str text) {
        struct str name = session_state_name(text);
        const char *why = env_left_refusal(&run->order.policy->env, name);

        if (why || text.ptr[0] == STATE_UNSET)
                return why;
        if (text.ptr[0] == STATE_LONG)
                return "too long";
        return str_eq(name, STR("PATH")) ? check_path(run, str_skip(text, name.len + 2)) : NULL;
}

static bool has_name(struct str variables, struct str name) {
        struct str text;

        while ((text = session_state_next(&variables)).len)
                if (str_eq(session_state_name(text), name))
                        return true;
        return false;
}

static void put_text(struct buf *out, struct str text) {
        buf_append(out, text);
        buf_char(out, 0);
}

/* The old ones that are not changed, then the changes, as far as there is room. */
static void keep_variables(struct run *run, struct str changes, struct told *told) {
        struct buf *kept = &run->lent.state->variables;
        struct str rest = buf_str(kept), text;
        struct buf next;
        size_t count = 0;

        buf_init(&next, STATE_TEXT_MAX);
        while ((text = session_state_next(&rest)).len)
                if (!has_name(changes, session_state_name(text))) {
                        put_text(&next, text);
                        count++;
                }
        for (rest = changes; (text = session_state_next(&rest)).len;) {
                struct str name = session_state_name(text);

                if (count == SESSION_VARIABLES_MAX || next.len + text.len + 1 > STATE_TEXT_MAX) {
                        add_name(told, name, "too much in all");
                        continue;
                }
                put_text(&next, text);
                count++;
        }
        if (next.failed) {
                buf_free(&next);
                return;
        }
        buf_free(kept);
        *kept = next;
}

/* ---- the report ---- */

static bool is_variable(struct str text) {
        return (text.ptr[0] == STATE_SET && str_find(text, '=') < text.len) || text.ptr[0] == STATE_UNSET ||
               text.ptr[0] == STATE_LONG;
}

static void keep_report(struct run *run, struct str report, struct told *told) {
        struct buf changes;
        struct str text;

        buf_init(&changes, STATE_TEXT_MAX);
        for (size_t i = 0; i < TEXTS_MAX && (text = session_state_next(&report)).len; i++) {
                struct str name = session_state_name(text);
                const char *why;

                if (text.ptr[0] == STATE_DIRECTORY)
                        keep_directory(run, text);
                if (!is_variable(text) || env_left_is_own(name) || has_name(buf_str(&changes), name))
                        continue;
                why = refusal(run, text);
                if (why)
                        add_name(told, name, why);
                else
                        put_text(&changes, text);
        }
        if (changes.len && !changes.failed)
                keep_variables(run, buf_str(&changes), told);
        buf_free(&changes);
}

static void tell(struct run *run, const struct told *told) {
        if (told->names.len && told->left_out)
                run_notice(run, "not kept for the next command: %.*s, and %zu more", (int)told->names.len, told->names.ptr,
                           told->left_out);
        else if (told->names.len)
                run_notice(run, "not kept for the next command: %.*s", (int)told->names.len, told->names.ptr);
}

/* A sandbox whose shell cannot report: once in a session. */
static void tell_missing(struct run *run) {
        const struct launch *launch = &run->attempt.launch;

        if (run->lent.state->told || (launch->namespaces && !launch->wrapper && !launch->container))
                return;
        run->lent.state->told = true;
        run_notice(run,
                   "%s does not tell what a command leaves: each starts in the workspace, with the variables of the session",
                   launch->backend);
}

void run_state_end(struct run *run) {
        struct told told = {};

        if (!run->lent.state || run->order.options.background)
                return;
        tell_missing(run);
        if (run->result.out.end != BAILEY_EXITED || !run->begun.left.len)
                return;
        buf_init(&told.names, TOLD_TEXT_MAX);
        if (run->order.options.fresh) {
                bool was_told = run->lent.state->told;

                session_state_free(run->lent.state);
                run->lent.state->told = was_told;
        }
        keep_report(run, buf_str(&run->begun.left), &told);
        tell(run, &told);
        buf_free(&told.names);
}

const char *run_state_cwd(struct run *run) {
        const struct session_state *state = run->lent.state;
        struct str workspace = run->order.policy->workspace;

        if (state && state->cwd)
                return arena_dup(&run->arena, str_z(state->cwd));
        if (!state && run->facts.host.cwd)
                return run->facts.host.cwd;
        return run->facts.host.workspace ? run->facts.host.workspace : workspace.len ? arena_dup(&run->arena, workspace) : NULL;
}
