/*
 * What is set aside, for the outside.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/time.h"
#include "engine/config.h"
#include "engine/policy.h"
#include "policy/files.h"
#include "protect/aside.h"
#include "run/sweep_journal.h"

/* ---- answers ---- */

static int no_memory(struct err *err) {
        return err_set(err, ERR_MEMORY, "out of memory");
}

static struct arena *memory_new(struct err *err) {
        struct arena *arena = malloc(sizeof(*arena));

        if (arena)
                arena_init(arena, 0);
        else
                no_memory(err);
        return arena;
}

static void memory_free(void *memory) {
        if (memory)
                arena_free(memory);
        free(memory);
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
        return err_set(err, ERR_NOT_FOUND, "neither XDG_STATE_HOME nor HOME says where it is kept");
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
        struct arena *arena = memory_new(&err);

        if (arena && list(environment, arena, ret, &err) == 0)
                return 0;
        memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

void bailey_aside_items_free(struct bailey_aside_items *items) {
        memory_free(items->memory);
        *items = (struct bailey_aside_items){ 0 };
}

/* ---- restoring, dropping ---- */

/* Its command runs, or was never swept for. */
static bool runs_in(int runs, const char *name, const char *workspace) {
        FD_AUTO fd = openat(runs, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct protection theirs;
        int64_t until;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        return fd >= 0 && journal_read(fd, &arena, &theirs, &until) == 0 && until != SWEEP_UNTIL_NEVER &&
               strcmp(theirs.workspace.path, workspace) == 0;
}

static bool command_runs(const char *state_dir, const char *workspace) {
        const struct dirent *entry;
        bool running = false;
        DIR *stream;
        int runs;

        if (journal_directory(state_dir, false, &runs, NULL) < 0 || runs < 0)
                return false;
        stream = fdopendir(runs);
        if (!stream) {
                fd_close(runs);
                return false;
        }
        while (!running && (entry = readdir(stream)))
                running = entry->d_name[0] != '.' && runs_in(runs, entry->d_name, workspace);
        closedir(stream);
        return running;
}

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
        done.running = command_runs(state.path, restored.aside.workspace);
        done.recorded = record(policy, "restore", &restored.aside, arena);
        *ret = done;
        return 0;
}

int bailey_aside_restore(const struct bailey_policy *policy, const char *const *environment, const char *id, int force,
                         struct bailey_aside_done *ret, char *ret_error, size_t error_size) {
        struct err err = { 0 };
        struct arena *arena = memory_new(&err);

        if (arena && restore(policy, environment, id, force != 0, arena, ret, &err) == 0)
                return 0;
        memory_free(arena);
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
        struct arena *arena = memory_new(&err);

        if (arena && drop(policy, environment, id, arena, ret, &err) == 0)
                return 0;
        memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

void bailey_aside_done_free(struct bailey_aside_done *done) {
        memory_free(done->memory);
        *done = (struct bailey_aside_done){ 0 };
}
