/*
 * The beginning of a command: what it gets of the state of its session.
 */
#include "engine/pipeline/session_state.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/pipeline/run.h"
#include "launch/warm/state_page.h"

void session_state_init(struct session_state *state) {
        *state = (struct session_state){};
        buf_init(&state->variables, STATE_TEXT_MAX);
}

void session_state_free(struct session_state *state) {
        free(state->cwd);
        buf_free(&state->variables);
        session_state_init(state);
}

/* ---- texts ---- */

struct str session_state_next(struct str *rest) {
        struct str text = str_take(*rest, str_find(*rest, 0));

        *rest = str_skip(*rest, text.len < rest->len ? text.len + 1 : text.len);
        return text;
}

struct str session_state_name(struct str text) {
        struct str name = str_skip(text, 1);

        return str_take(name, str_find(name, '='));
}

/* ---- the environment ---- */

static void take_out(const char **list, size_t *count, struct str name) {
        size_t kept = 0;

        for (size_t i = 0; i < *count; i++)
                if (strncmp(list[i], name.ptr, name.len) != 0 || list[i][name.len] != '=')
                        list[kept++] = list[i];
        *count = kept;
}

int session_state_merge(struct str variables, const char *const *envp, struct arena *arena, const char *const **ret,
                        struct err *err) {
        const char **list;
        size_t count = 0;
        struct str text;

        while (envp[count])
                count++;
        list = arena_alloc(arena, (count + SESSION_VARIABLES_MAX + 1) * sizeof(*list));
        if (!list)
                return err_memory(err);
        memcpy(list, envp, count * sizeof(*list));
        while ((text = session_state_next(&variables)).len) {
                take_out(list, &count, session_state_name(text));
                if (text.ptr[0] == STATE_SET && !(list[count++] = arena_dup(arena, str_skip(text, 1))))
                        return err_memory(err);
        }
        list[count] = NULL;
        *ret = list;
        return 0;
}

/* ---- the start of a command ---- */

/* Names that lead there without any link. Whether it is in the workspace is looked up for every command (host_gather()). */
static bool is_still_there(const char *path) {
        char real[PATH_MAX];
        struct stat info;

        return realpath(path, real) && strcmp(real, path) == 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int start_there(struct run *run) {
        struct session_state *state = run->lent.state;
        const char *cwd = state->cwd;

        if (run->order.options.cwd || !cwd)
                return 0;
        if (!is_still_there(cwd)) {
                run_notice(run, "%s, where the last command was, is not there any more: this one starts in the workspace", cwd);
                free(state->cwd);
                state->cwd = NULL;
                return 0;
        }
        run->begun.cwd = arena_dup(&run->arena, str_z(cwd));
        return run->begun.cwd ? 0 : err_memory(&run->result.err);
}

/* For the guard. */
static int bind(struct run *run) {
        struct str rest = run->begun.variables, text;
        struct walk_binding *bindings = arena_alloc(&run->arena, SESSION_VARIABLES_MAX * sizeof(*bindings));
        size_t count = 0;

        if (!bindings)
                return err_memory(&run->result.err);
        while ((text = session_state_next(&rest)).len)
                if (text.ptr[0] == STATE_SET) {
                        struct str name = session_state_name(text);

                        bindings[count++] = (struct walk_binding){ name, str_skip(text, name.len + 2) };
                }
        run->begun.bindings = bindings;
        run->begun.binding_count = count;
        return 0;
}

int run_state_begin(struct run *run) {
        struct session_state *state = run->lent.state;
        const char *copy;

        run->begun.cwd = run->order.options.cwd;
        if (state && run->order.policy->run.state == STATE_COMMAND)
                state = run->lent.state = NULL;
        if (!state || run->order.options.fresh)
                return 0;
        if (start_there(run) < 0)
                return -1;
        if (!state->variables.len)
                return 0;
        copy = arena_dup(&run->arena, buf_str(&state->variables));
        if (!copy)
                return err_memory(&run->result.err);
        run->begun.variables = str_from(copy, state->variables.len);
        return bind(run);
}

int run_state_environment(struct run *run) {
        if (!run->begun.variables.len)
                return 0;
        return session_state_merge(run->begun.variables, run->facts.request.envp, &run->arena, &run->facts.request.envp,
                                   &run->result.err);
}
