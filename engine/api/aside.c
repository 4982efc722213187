/*
 * What is set aside, for the outside.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/time.h"
#include "engine/config.h"
#include "engine/policy.h"
#include "policy/files.h"
#include "protect/aside.h"
#include "protect/protect.h"

/* ---- answers ---- */

static int no_memory(struct err *err) {
        return err_memory(err);
}

static int put_aside(const struct aside *aside, struct arena *arena, struct bailey_aside *ret, struct err *err) {
        char time[TIME_TEXT_SIZE];

        time_format(aside->at, time);
        *ret = (struct bailey_aside){
                .id = aside->id,
                .path = aside->path,
                .workspace = aside->workspace,
                .why = aside->why,
                .kind = aside->kind,
                .where = aside->where,
                .note = aside->note,
                .time = arena_dup(arena, str_z(time)),
        };
        return ret->time ? 0 : no_memory(err);
}

static int state_find(const char *const *environment, struct directory *ret, struct err *err) {
        if (directory_state(environment, ret))
                return 0;
        return err_set(err, ERR_NOT_FOUND, "cannot find the state directory: neither XDG_STATE_HOME nor HOME is set");
}

/* ---- the list ---- */

static int list(const char *const *environment, struct arena *arena, struct bailey_aside_items *ret, struct err *err) {
        struct bailey_aside *items;
        struct directory state;
        struct aside_list found;

        if (state_find(environment, &state, err) < 0 || aside_list(state.path, arena, &found, err) < 0)
                return -1;
        items = arena_alloc(arena, (found.count + 1) * sizeof(*items));
        if (!items)
                return no_memory(err);
        for (size_t i = 0; i < found.count; i++)
                if (put_aside(&found.items[i], arena, &items[i], err) < 0)
                        return -1;
        *ret = (struct bailey_aside_items){ items, found.count, arena };
        return 0;
}

int bailey_aside_list(const char *const *environment, struct bailey_aside_items *ret, char *ret_error, size_t error_size) {
        struct err err = { 0 };
        struct arena *arena = config_memory_new(&err);

        if (arena && list(environment, arena, ret, &err) == 0)
                return 0;
        config_memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

void bailey_aside_items_free(struct bailey_aside_items *items) {
        config_memory_free(items->memory);
        *items = (struct bailey_aside_items){ 0 };
}

/* ---- restoring, dropping ---- */

static bool record(const struct bailey_policy *policy, const char *verb, const struct aside *aside, struct arena *arena) {
        struct audit_record record = { .kind = AUDIT_CHANGED, .workspace = aside->workspace, .action = "none" };
        size_t size = strlen(verb) + strlen(aside->id) + strlen(aside->path) + 3;
        char id[ID_SIZE], *text = arena_bytes(arena, size);

        if (!policy || !text || id_new(id, NULL) < 0)
                return false;
        snprintf(text, size, "%s %s %s", verb, aside->id, aside->path);
        record.id = id;
        record.command = str_z(text);
        record.policy = policy->policy->name;
        return audit_write(policy->audit, &record, NULL) == 0;
}

static int restore(const struct bailey_policy *policy, const char *const *environment, const char *id, bool force,
                   struct arena *arena, struct bailey_aside_done *ret, struct err *err) {
        struct bailey_aside_done done = { .memory = arena };
        struct aside_restored restored;
        struct directory state;

        if (state_find(environment, &state, err) < 0 || aside_restore(state.path, id, force, arena, &restored, err) < 0 ||
            put_aside(&restored.aside, arena, &done.aside, err) < 0)
                return -1;
        if (restored.replaced[0] && !(done.replaced = arena_dup(arena, str_z(restored.replaced))))
                return no_memory(err);
        done.running = protect_is_busy(state.path, restored.aside.workspace);
        done.recorded = record(policy, "restore", &restored.aside, arena);
        *ret = done;
        return 0;
}

int bailey_aside_restore(const struct bailey_policy *policy, const char *const *environment, const char *id, int force,
                         struct bailey_aside_done *ret, char *ret_error, size_t error_size) {
        struct err err = { 0 };
        struct arena *arena = config_memory_new(&err);

        if (arena && restore(policy, environment, id, force != 0, arena, ret, &err) == 0)
                return 0;
        config_memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

static int drop(const struct bailey_policy *policy, const char *const *environment, const char *id, struct arena *arena,
                struct bailey_aside_done *ret, struct err *err) {
        struct bailey_aside_done done = { .memory = arena };
        struct directory state;
        struct aside dropped;

        if (state_find(environment, &state, err) < 0 || aside_drop(state.path, id, arena, &dropped, err) < 0 ||
            put_aside(&dropped, arena, &done.aside, err) < 0)
                return -1;
        done.recorded = record(policy, "drop", &dropped, arena);
        *ret = done;
        return 0;
}

int bailey_aside_drop(const struct bailey_policy *policy, const char *const *environment, const char *id,
                      struct bailey_aside_done *ret, char *ret_error, size_t error_size) {
        struct err err = { 0 };
        struct arena *arena = config_memory_new(&err);

        if (arena && drop(policy, environment, id, arena, ret, &err) == 0)
                return 0;
        config_memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

void bailey_aside_done_free(struct bailey_aside_done *done) {
        config_memory_free(done->memory);
        *done = (struct bailey_aside_done){ 0 };
}
