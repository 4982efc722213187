#include "engine/stage_request.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/id.h"
#include "base/path.h"
#include "engine/policy.h"
#include "engine/stage_guards.h"

/* One that is gone has only the name that it had. */
static int find_workspace(const char *asked, struct arena *arena, const char **ret, struct err *err) {
        char real[PATH_MAX];
        const char *found = realpath(asked, real);

        if (!found && asked[0] == '/' && (errno == ENOENT || errno == ENOTDIR))
                found = asked;
        if (!found)
                return err_sys(err, "%s", asked);
        *ret = arena_dup(arena, str_z(found));
        return *ret ? 0 : err_memory(err);
}

int stage_find(const struct bailey_stage_request *request, struct stage_asked *asked, struct stage_request *ret,
               struct err *err) {
        if (directory_need_state(request->environment, &asked->state, err) < 0)
                return -1;
        *ret = (struct stage_request){ .state = asked->state.path, .name = request->name ? request->name : STAGE_DEFAULT_NAME };
        return find_workspace(request->workspace ? request->workspace : ".", asked->arena, &ret->workspace, err);
}

int stage_ask(const struct bailey_stage_request *request, bool alone, struct stage_asked *ret, struct err *err) {
        struct stage_request which;

        if (stage_find(request, ret, &which, err) < 0 || stage_open(&which, ret->arena, &ret->stage, err) < 0)
                return -1;
        return alone ? stage_lock_alone(&ret->stage, err) : 0;
}

/* Relative to the workspace, without ./ and slashes at the end; NULL: it is not in there. */
static const char *path_in_workspace(const struct stage_asked *asked, const char *path) {
        const char *workspace = asked->stage.workspace;
        size_t length;
        char *copy;

        if (path[0] == '/' && !path_within(path, workspace))
                return NULL;
        if (path[0] == '/')
                path += strlen(workspace);
        while (*path == '/' || (path[0] == '.' && (path[1] == '/' || !path[1])))
                path++;
        copy = arena_dup(asked->arena, str_z(path));
        for (length = copy ? strlen(copy) : 0; length && copy[length - 1] == '/';)
                copy[--length] = 0;
        return copy;
}

static bool is_in(const char *path, const char *asked) {
        size_t length = strlen(asked);

        return !length || (strncmp(path, asked, length) == 0 && (!path[length] || path[length] == '/'));
}

static int choose(struct stage_asked *asked, const char *path, struct err *err) {
        const char *wanted = path_in_workspace(asked, path);
        bool any = false;

        for (size_t i = 0; wanted && i < asked->changes.count; i++)
                if (is_in(asked->changes.items[i].path, wanted))
                        any = asked->chosen[i] = true;
        return any || (wanted && !*wanted) ? 0 : err_set(err, ERR_NOT_FOUND, "%s: no staged changes", path);
}

int stage_look(const struct bailey_stage_request *request, struct stage_asked *asked, struct err *err) {
        const struct stage_compare compare = { .stage = &asked->stage, .guards = stage_guards };

        if (stage_open_roots(&asked->stage, &asked->roots, err) < 0 ||
            stage_changes_find(&compare, &asked->roots, asked->arena, &asked->changes, err) < 0)
                return -1;
        asked->chosen = arena_alloc(asked->arena, asked->changes.count + 1);
        if (!asked->chosen)
                return err_memory(err);
        if (!request->paths || !*request->paths) {
                memset(asked->chosen, true, asked->changes.count);
                return 0;
        }
        for (const char *const *path = request->paths; *path; path++)
                if (choose(asked, *path, err) < 0)
                        return -1;
        return 0;
}

bool stage_record(const struct bailey_stage_request *request, const char *workspace, const char *text) {
        struct audit_record record = {
                .kind = AUDIT_CHANGED, .workspace = workspace, .action = "none", .command = str_z(text)
        };
        char id[ID_SIZE];

        if (!request->policy || id_new(id, NULL) < 0)
                return false;
        audit_settle(request->policy->audit, request->environment);
        record.id = id;
        record.policy = request->policy->policy->name;
        return audit_write(request->policy->audit, &record, NULL) == 0;
}

void stage_done(struct stage_asked *asked) {
        stage_close_roots(&asked->roots);
        stage_close(&asked->stage);
}
