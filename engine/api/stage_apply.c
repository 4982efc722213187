/*
 * Applying stages, and undoing that, for the outside.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/time.h"
#include "engine/config.h"
#include "engine/stage_request.h"
#include "protect/protect.h"
#include "stage/apply.h"
#include "stage/undo.h"

enum { NOTICES_MAX = 64 };

struct applier {
        const struct bailey_stage_request *request;
        const struct bailey_stage_choice *choice;
        struct stage_asked asked;
        bool *included;
        int undo; /* the directory, locked */
        struct stage_undo done;
        struct baseline *baselines;
        const char *notices[NOTICES_MAX + 1];
        size_t notice_count;
        struct bailey_stage_applied *out;
        struct err *err;
};

/* ---- what is applied ---- */

static int check_digest(const struct applier *a) {
        return !a->choice->digest || strcmp(a->choice->digest, a->asked.changes.digest) == 0
                       ? 0
                       : err_set(a->err, ERR_CHANGED,
                                 "the staged changes have changed since they were shown; examine them again (their digest is "
                                 "now %s)",
                                 a->asked.changes.digest);
}

static bool is_left(const struct applier *a, size_t i) {
        const struct stage_change *change = &a->asked.changes.items[i];

        return a->asked.chosen[i] &&
               ((change->protected_by && !a->choice->with_protected) || (change->conflict && !a->choice->force));
}

/* Conflicts, and of those no protected file that would be left out anyway, keep anything from being applied. */
static int choose(struct applier *a) {
        const struct stage_changes *changes = &a->asked.changes;
        struct bailey_stage_change *left = arena_alloc(a->asked.arena, (changes->count + 1) * sizeof(*left));

        a->included = arena_alloc(a->asked.arena, changes->count + 1);
        if (!left || !a->included)
                return err_memory(a->err);
        for (size_t i = 0; i < changes->count; i++) {
                const struct stage_change *change = &changes->items[i];

                a->included[i] = a->asked.chosen[i] && !is_left(a, i);
                if (!is_left(a, i))
                        continue;
                if (!change->protected_by || a->choice->with_protected)
                        a->out->refused = true;
                if (stage_is_told(changes, i) || change->conflict)
                        stage_put_change(change, &left[a->out->left_count++]);
        }
        a->out->left = left;
        return 0;
}

static void count_included(struct applier *a) {
        const struct stage_changes *changes = &a->asked.changes;

        for (size_t i = 0; i < changes->count; i++) {
                if (!a->included[i] || !stage_is_told(changes, i))
                        continue;
                a->out->deleted += changes->items[i].kind == STAGE_DELETED;
                a->out->changed += changes->items[i].kind == STAGE_CHANGED;
                a->out->added += changes->items[i].kind == STAGE_ADDED;
        }
}

/* ---- what a survey finds when it is there ---- */

static void say(void *context, const char *sentence) {
        struct applier *a = context;
        const char *copy = a->notice_count < NOTICES_MAX ? arena_dup(a->asked.arena, str_z(sentence)) : NULL;

        if (copy)
                a->notices[a->notice_count++] = copy;
}

static struct protect_request protect_request(struct applier *a) {
        return (struct protect_request){ .state_dir = a->asked.state.path,
                                         .home = environment_get(a->request->environment, "HOME"),
                                         .arena = a->asked.arena,
                                         .say = say,
                                         .context = a };
}

static int carry_out(struct applier *a, const struct stage_journal *journal) {
        if (stage_undo_begin(a->undo, journal, a->asked.roots.upper, a->asked.roots.base, &a->done, a->err) < 0)
                return -1;
        a->out->id = arena_dup(a->asked.arena, str_z(a->done.id));
        return a->out->id ? 0 : err_memory(a->err);
}

/* As with a command that is not staged: what is new at protected places, which only the tree tells, is set aside. */
static int carry_out_guarded(struct applier *a, const struct stage_journal *journal) {
        struct baseline *baseline = baseline_get(&a->baselines, a->asked.stage.workspace);
        struct protect_request request = protect_request(a);
        struct protection protection;
        struct err err = {};
        int result;

        if (a->choice->with_protected)
                return carry_out(a, journal);
        if (!baseline)
                return err_memory(a->err);
        if (protect_begin(baseline, &request, &protection, a->err) < 0)
                return -1;
        result = carry_out(a, journal);
        if (protect_end(baseline, &request, &err) < 0)
                say(a, err.msg);
        return result == 0 ? stage_undo_settle(&a->done, a->err) : -1; /* the survey opens directories that are closed */
}

/* ---- all ---- */

/* What is left are directories that both have. */
static int end_if_empty(struct applier *a) {
        const struct stage_compare compare = { .stage = &a->asked.stage };
        struct stage_changes left;

        if (stage_changes_find(&compare, &a->asked.roots, a->asked.arena, &left, a->err) < 0)
                return -1;
        a->out->empty = left.count == 0;
        return a->out->empty ? stage_remove(a->asked.state.path, &a->asked.stage, a->err) : 0;
}

static void record(struct applier *a) {
        char text[256];

        snprintf(text, sizeof(text), "apply stage %s: %llu changed, %llu new, %llu deleted, digest %s, undo %s%s%s",
                 a->asked.stage.name, a->out->changed, a->out->added, a->out->deleted, a->asked.changes.digest,
                 a->out->id ? a->out->id : "none", a->choice->force ? ", force" : "",
                 a->choice->with_protected ? ", protected" : "");
        a->out->recorded = stage_record(a->request, a->asked.stage.workspace, text);
}

static int prepare(struct applier *a) {
        struct stage_request which;

        if (stage_find(a->request, &a->asked, &which, a->err) < 0 ||
            stage_undo_lock(a->asked.state.path, &a->undo, a->err) < 0 || stage_recover(a->undo, a->err) < 0)
                return -1;
        return stage_ask(a->request, true, &a->asked, a->err) < 0 || stage_look(a->request, &a->asked, a->err) < 0 ||
                               check_digest(a) < 0
                       ? -1
                       : choose(a);
}

static int apply(struct applier *a) {
        struct stage_journal journal;
        const struct stage_plan plan = { &a->asked.stage, &a->asked.roots, &a->asked.changes, a->included };

        if (stage_plan(&plan, a->asked.arena, &journal, a->err) < 0)
                return -1;
        if (journal.count && carry_out_guarded(a, &journal) < 0)
                return -1;
        count_included(a);
        record(a);
        stage_undo_prune(a->undo);
        a->out->notices = a->notice_count ? arena_alloc(a->asked.arena, sizeof(a->notices)) : NULL;
        if (a->out->notices)
                memcpy((void *)a->out->notices, a->notices, sizeof(a->notices));
        return end_if_empty(a);
}

int bailey_stage_apply(const struct bailey_stage_request *request, const struct bailey_stage_choice *choice,
                       struct bailey_stage_applied *ret, char *ret_error, size_t error_size) {
        struct err err = {};
        struct arena *arena = config_memory_new(&err);
        struct bailey_stage_applied out = { .memory = arena };
        struct applier a = { .request = request,
                             .choice = choice,
                             .asked = { .arena = arena, .stage.fd = -1, .roots = { -1, -1 } },
                             .undo = -1,
                             .done = { .directory = -1, .old = -1 },
                             .out = &out,
                             .err = &err };
        int result = arena ? prepare(&a) : -1;

        if (result == 0 && !out.refused)
                result = apply(&a);
        baseline_free(&a.baselines, a.asked.state.path);
        stage_done(&a.asked);
        stage_undo_close(&a.done);
        fd_close(a.undo);
        if (result == 0) {
                *ret = out;
                return 0;
        }
        config_memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

void bailey_stage_applied_free(struct bailey_stage_applied *applied) {
        config_memory_free(applied->memory);
        *applied = (struct bailey_stage_applied){};
}

/* ---- undoing ---- */

static int open_undo(const char *const *environment, int *ret_fd, struct err *err) {
        struct directory state;

        return directory_need_state(environment, &state, err) < 0 || stage_undo_lock(state.path, ret_fd, err) < 0 ||
                               stage_recover(*ret_fd, err) < 0
                       ? -1
                       : 0;
}

static int list(const char *const *environment, struct arena *arena, struct bailey_stage_undoables *ret, struct err *err) {
        struct bailey_stage_undoable *items;
        struct stage_undo_list found;
        FD_AUTO undo = -1;

        if (open_undo(environment, &undo, err) < 0 || stage_undo_list(undo, arena, &found, err) < 0)
                return -1;
        items = arena_alloc(arena, (found.count + 1) * sizeof(*items));
        for (size_t i = 0; items && i < found.count; i++) {
                char time[TIME_TEXT_SIZE];

                time_format(found.items[i].done, time);
                items[i] = (struct bailey_stage_undoable){ .id = found.items[i].id,
                                                           .name = found.items[i].name,
                                                           .workspace = found.items[i].workspace,
                                                           .applied = arena_dup(arena, str_z(time)),
                                                           .bytes = found.items[i].bytes,
                                                           .undone = found.items[i].undone };
                if (!items[i].applied)
                        return err_memory(err);
        }
        if (!items)
                return err_memory(err);
        *ret = (struct bailey_stage_undoables){ .items = items, .count = found.count, .memory = arena };
        return 0;
}

int bailey_stage_undoables(const char *const *environment, struct bailey_stage_undoables *ret, char *ret_error,
                           size_t error_size) {
        struct err err = {};
        struct arena *arena = config_memory_new(&err);

        if (arena && list(environment, arena, ret, &err) == 0)
                return 0;
        config_memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

void bailey_stage_undoables_free(struct bailey_stage_undoables *undoables) {
        config_memory_free(undoables->memory);
        *undoables = (struct bailey_stage_undoables){};
}

/* The last of the workspace. */
static int find_last(int undo, const char *workspace, struct arena *arena, const char **ret, struct err *err) {
        struct stage_undo_list found;
        char real[PATH_MAX];

        if (!realpath(workspace, real))
                return err_sys(err, "%s", workspace);
        if (stage_undo_list(undo, arena, &found, err) < 0)
                return -1;
        for (size_t i = 0; i < found.count; i++)
                if (!found.items[i].undone && strcmp(found.items[i].workspace, real) == 0) {
                        *ret = found.items[i].id;
                        return 0;
                }
        return err_set(err, ERR_NOT_FOUND, "nothing to undo in %s; see bailey undo --list", real);
}

static int record_undo(const struct bailey_stage_request *request, const char *id, int force) {
        char text[64], real[PATH_MAX];

        if (!request->policy)
                return 0;
        snprintf(text, sizeof(text), "undo %.*s%s", UNDO_ID_LENGTH, id, force ? ", force" : "");
        return stage_record(request, realpath(request->workspace ? request->workspace : ".", real) ? real : "", text) ? 0 : 1;
}

int bailey_stage_undo(const struct bailey_stage_request *request, const char *id, int force, char *ret_error,
                      size_t error_size) {
        struct err err = {};
        FD_AUTO undo = -1;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        return open_undo(request->environment, &undo, &err) == 0 &&
                               (id || find_last(undo, request->workspace ? request->workspace : ".", &arena, &id, &err) == 0) &&
                               stage_undo_take(undo, id, force, &arena, &err) == 0
                       ? record_undo(request, id, force)
                       : config_hand_error(&err, ret_error, error_size);
}
