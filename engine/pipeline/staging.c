/*
 * A run whose workspace is staged: what it writes there goes to an overlay (stage/store.h), which a process in the background
 * has mounted as long as commands use it (named_tmp.h).
 */
#include "engine/pipeline/run.h"

#include <string.h>

#include "base/fd.h"
#include "base/path.h"
#include "stage/changes.h"
#include "stage/undo.h"

static bool is_staged(const struct run *run) {
        return run->order.options.stage != NULL;
}

/* What would not wait to be applied, or would not be seen. */
static int check_policy(struct run *run) {
        const struct sandbox_policy *sandbox = &run->order.policy->sandbox;
        const struct host *host = &run->facts.host;

        if (!sandbox->workspace_write)
                return err_set(&run->result.err, ERR_INVALID,
                               "cannot stage changes: the workspace is read-only (sandbox.workspace_write)");
        if (host->protection.sealed)
                return err_set(&run->result.err, ERR_INVALID,
                               "cannot stage changes: the workspace is read-only because it contains too many protected files");
        for (size_t i = 0; i < host->write.count; i++)
                if (path_within(host->workspace, host->write.items[i].path))
                        return err_set(&run->result.err, ERR_INVALID,
                                       "fs_write_allow: %s contains the workspace, which could be written there without being "
                                       "staged",
                                       host->write.items[i].path);
        return 0;
}

int run_stage_begin(struct run *run) {
        const struct stage_request request = { .state = run->facts.state,
                                               .workspace = run->facts.host.workspace,
                                               .name = run->order.options.stage,
                                               .make = true };

        if (!is_staged(run) || check_policy(run) < 0)
                return is_staged(run) ? -1 : 0;
        run->facts.host.staged = true;
        if (run->order.options.plan_only)
                return 0;
        if (stage_recover_now(run->facts.state, &run->result.err) < 0)
                return -1;
        return stage_open(&request, &run->arena, &run->staged.stage, &run->result.err);
}

/* Only one backend can: none is tried after it. */
int run_stage_join(struct run *run, const struct backend *backend, struct err *err) {
        const struct host *host = &run->attempt.host;
        struct run_staged *staged = &run->staged;
        uint32_t id_base = host->no_identity ? 0 : host->id_base;
        const struct named_tmp_content content = { .workspace = host->workspace, .stage = staged->stage.path };
        bool ignored = false;

        if (!is_staged(run))
                return 0;
        if (!backend->stages)
                return err_set(err, ERR_INVALID, "%s cannot stage changes; only native can create an overlay of the workspace",
                               backend->name);
        if (run->order.options.plan_only)
                return 0;
        run_stage_leave(run);
        staged->keeper.name = staged->stage.name;
        staged->keeper.environment = run->order.options.environment;
        return named_tmp_join(&staged->keeper, &content, id_base, &ignored, &staged->holder.socket, err);
}

void run_stage_leave(struct run *run) {
        named_tmp_leave(&run->staged.keeper);
        fd_close(TAKE_FD(run->staged.holder.socket));
}

static int count_changes(struct run *run, struct arena *arena, struct bailey_staged *ret, struct err *err) {
        const struct stage_compare compare = { .stage = &run->staged.stage };
        struct stage_changes changes;
        struct stage_roots roots;
        int result;

        if (stage_open_roots(&run->staged.stage, &roots, err) < 0)
                return -1;
        result = stage_changes_find(&compare, &roots, arena, &changes, err);
        stage_close_roots(&roots);
        if (result < 0)
                return -1;
        *ret = (struct bailey_staged){ .name = run->staged.stage.name,
                                       .changed = changes.counts[STAGE_CHANGED],
                                       .added = changes.counts[STAGE_ADDED],
                                       .deleted = changes.counts[STAGE_DELETED] };
        return 0;
}

void run_stage_end(struct run *run) {
        struct bailey_staged *staged = run->staged.stage.fd < 0 ? NULL : ARENA_NEW(&run->arena, struct bailey_staged);
        struct arena arena;
        struct err err = {};

        if (!staged)
                return;
        arena_init(&arena, STAGE_MEMORY);
        if (count_changes(run, &arena, staged, &err) == 0)
                run->result.out.staged = staged;
        else
                run_notice(run, "cannot count the changes in the stage %s: %s", run->staged.stage.name, err.msg);
        arena_free(&arena);
}

void run_stage_close(struct run *run) {
        stage_close(&run->staged.stage);
}
