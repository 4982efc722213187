/*
 * Homes of workspaces, for the outside.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/time.h"
#include "engine/config.h"
#include "engine/policy.h"
#include "home/changes.h"
#include "home/home.h"
#include "home/kept.h"
#include "sandbox/host_parts.h"

#define DIFF_FOR (30 * TIME_SECOND)
#define FOR_EVER (INT64_MAX / 4)

struct request {
        const struct bailey_policy *policy;
        const char *const *environment;
        enum bailey_home_choice choice;
        const char *workspace; /* real, or as it was */
        const char *home, *base;
        struct arena *arena;
        struct err *err;
};

static int no_memory(struct err *err) {
        return err_memory(err);
}

/* ---- which ---- */

/* One that is gone has only a name, which is what it was called without links. */
static int find_workspace(struct request *r, const char *asked) {
        char real[PATH_MAX];
        struct str own = r->policy->policy->workspace;

        if (!asked)
                asked = own.len ? arena_dup(r->arena, own) : ".";
        if (!asked)
                return no_memory(r->err);
        if (realpath(asked, real)) {
                asked = real;
        } else if (errno != ENOENT && errno != ENOTDIR) {
                return err_sys(r->err, "%s", asked);
        } else if (asked[0] != '/') {
                return err_set(r->err, ERR_NOT_FOUND, "%s: no such directory; give the whole path of a workspace that is gone",
                               asked);
        }
        r->workspace = arena_dup(r->arena, str_z(asked));
        return r->workspace ? 0 : no_memory(r->err);
}

static int request_begin(struct request *r, const char *workspace) {
        if (host_system_kept_homes(r->policy->policy, r->environment, r->arena, &r->home, &r->base, r->err) < 0)
                return -1;
        return r->choice == BAILEY_HOME_ONE ? find_workspace(r, workspace) : 0;
}

/* Of one workspace there can be several: under another $HOME it has another one. */
static bool is_chosen(const struct request *r, const struct home_kept *kept) {
        switch (r->choice) {
        case BAILEY_HOME_ONE:
                return kept->workspace && strcmp(kept->workspace, r->workspace) == 0 && strcmp(kept->home, r->home) == 0;
        case BAILEY_HOME_STALE:
                return kept->state == HOME_WORKSPACE_IS_GONE;
        case BAILEY_HOME_ALL:
                return true;
        }
        return false;
}

/* ---- the list ---- */

static int put_home(const struct request *r, const struct home_kept *kept, struct bailey_home *ret) {
        static const enum bailey_presence presences[] = {
                [HOME_WORKSPACE_IS_THERE] = BAILEY_PRESENT,
                [HOME_WORKSPACE_IS_GONE] = BAILEY_GONE,
                [HOME_WORKSPACE_UNKNOWN] = BAILEY_UNKNOWN,
        };
        char path[PATH_MAX], time[TIME_TEXT_SIZE];

        snprintf(path, sizeof(path), "%s/%s", r->base, kept->name);
        time_format(kept->last_used, time);
        *ret = (struct bailey_home){
                .workspace = kept->workspace,
                .home = kept->home,
                .path = arena_dup(r->arena, str_z(path)),
                .presence = presences[kept->state],
                .in_use = kept->in_use,
                .last_used = arena_dup(r->arena, str_z(time)),
        };
        return ret->path && ret->last_used ? 0 : no_memory(r->err);
}

static void put_usage(const struct home_usage *usage, struct bailey_home *ret) {
        ret->bytes = usage->bytes;
        ret->entries = usage->entries;
        ret->complete = usage->complete;
}

/* What could not be measured now may have been before. */
static void measure(const struct request *r, const char *name, int64_t deadline, struct bailey_home *ret) {
        FD_AUTO layer = home_open_kept(r->base, name);
        struct home_usage usage = {}, last = {};

        if (layer >= 0) {
                home_usage_measure(layer, deadline, &usage);
                home_usage_recall(layer, &last);
        }
        if (!usage.complete && last.bytes > usage.bytes)
                usage = last;
        put_usage(&usage, ret);
}

/* What is to be done with each of them. */
typedef int home_act(const struct request *r, const struct home_kept *kept, void *context, struct bailey_home *ret);

static int each_home(struct request *r, home_act *act, void *context, struct bailey_homes *ret) {
        struct home_list found = {};
        struct bailey_home *items;
        size_t count = 0;

        if (r->base && home_list(r->base, r->arena, &found, r->err) < 0)
                return -1;
        items = arena_alloc(r->arena, (found.count + 1) * sizeof(*items));
        if (!items)
                return no_memory(r->err);
        for (size_t i = 0; i < found.count; i++)
                if (is_chosen(r, &found.items[i]) &&
                    (put_home(r, &found.items[i], &items[count]) < 0 || act(r, &found.items[i], context, &items[count++]) < 0))
                        return -1;
        *ret = (struct bailey_homes){
                .items = items,
                .count = count,
                .directory = r->base,
                .most_bytes = (unsigned long long)r->policy->policy->sandbox.home_max_bytes,
                .memory = r->arena,
        };
        return 0;
}

static int list_one(const struct request *r, const struct home_kept *kept, void *context, struct bailey_home *ret) {
        const int64_t *deadline = context;

        measure(r, kept->name, *deadline, ret);
        return 0;
}

int bailey_home_list(const struct bailey_policy *policy, const char *const *environment, enum bailey_home_choice choice,
                     const char *workspace, long long measure_ms, struct bailey_homes *ret, char *ret_error,
                     size_t error_size) {
        struct err err = { 0 };
        struct arena *arena = config_memory_new(&err);
        struct request r = { policy, environment, choice, .arena = arena, .err = &err };
        int64_t deadline = measure_ms ? time_monotonic() + measure_ms * (TIME_SECOND / 1000) : FOR_EVER;

        if (arena && request_begin(&r, workspace) == 0 && each_home(&r, list_one, &deadline, ret) == 0)
                return 0;
        config_memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

void bailey_homes_free(struct bailey_homes *homes) {
        config_memory_free(homes->memory);
        *homes = (struct bailey_homes){ 0 };
}

/* ---- removing ---- */

static bool record(const struct request *r, const struct bailey_home *home) {
        struct audit_record record = { .kind = AUDIT_CHANGED,
                                       .workspace = home->workspace ? home->workspace : "",
                                       .action = "none" };
        size_t size = strlen(home->path) + strlen(record.workspace) + sizeof("home clear  ");
        char id[ID_SIZE], *text = arena_bytes(r->arena, size);

        if (!text || id_new(id, NULL) < 0)
                return false;
        snprintf(text, size, "home clear %s %s", home->path, record.workspace);
        record.id = id;
        record.command = str_z(text);
        record.policy = r->policy->policy->name;
        return audit_write(r->policy->audit, &record, NULL) == 0;
}

/* One that cannot be removed keeps the others from nothing. */
static int clear_one(const struct request *r, const struct home_kept *kept, void *context, struct bailey_home *ret) {
        bool *recorded = context;
        struct home_usage usage;
        struct err err = { 0 };

        if (home_clear(r->base, kept->name, &usage, &err) == 0) {
                put_usage(&usage, ret);
                *recorded = record(r, ret) && *recorded;
                return 0;
        }
        ret->problem = arena_dup(r->arena, str_z(err.msg));
        return ret->problem ? 0 : no_memory(r->err);
}

int bailey_home_clear(const struct bailey_policy *policy, const char *const *environment, enum bailey_home_choice choice,
                      const char *workspace, struct bailey_homes *ret, char *ret_error, size_t error_size) {
        struct err err = { 0 };
        struct arena *arena = config_memory_new(&err);
        struct request r = { policy, environment, choice, .arena = arena, .err = &err };
        struct bailey_homes found;
        bool recorded = true;

        if (arena && request_begin(&r, workspace) == 0 && each_home(&r, clear_one, &recorded, &found) == 0) {
                found.recorded = recorded;
                if (r.base && home_clear_rest(r.base, &err) < 0)
                        found.problem = arena_dup(arena, str_z(err.msg));
                *ret = found;
                return 0;
        }
        config_memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

/* ---- what commands wrote ---- */

static const char *type_name(unsigned type) {
        switch (type) {
        case 0:
                return NULL;
        case S_IFREG:
                return "file";
        case S_IFDIR:
                return "directory";
        case S_IFLNK:
                return "link";
        default:
                return "other";
        }
}

static int put_changes(const struct request *r, const struct home_changes *found, struct bailey_home_changes *ret) {
        static const enum bailey_home_change_kind kinds[] = {
                [HOME_ADDED] = BAILEY_HOME_ADDED,
                [HOME_CHANGED] = BAILEY_HOME_CHANGED,
                [HOME_DELETED] = BAILEY_HOME_DELETED,
        };
        struct bailey_home_change *items = arena_alloc(r->arena, (found->count + 1) * sizeof(*items));

        if (!items)
                return no_memory(r->err);
        for (size_t i = 0; i < found->count; i++) {
                const struct home_change *change = &found->items[i];

                items[i] = (struct bailey_home_change){
                        .path = { change->path, strlen(change->path) },
                        .kind = kinds[change->kind],
                        .type = type_name(change->type),
                        .settings = change->settings,
                        .unreadable = !change->opened,
                        .bytes = change->bytes,
                };
        }
        ret->items = items;
        ret->count = found->count;
        ret->left_out = found->left_out;
        ret->left_out_bytes = found->left_out_bytes;
        ret->complete = found->complete;
        return 0;
}

/* Of sandboxes that were killed, too. */
static void settle(const struct request *r, const char *name) {
        char path[PATH_MAX];
        struct err ignored;

        snprintf(path, sizeof(path), "%s/%s", r->base, name);
        (void)home_settle(path, &ignored);
}

static int diff(struct request *r, size_t limit, struct bailey_home_changes *ret) {
        struct home_changes_request request = { .home = r->home,
                                                .show = r->policy->policy->sandbox.home_show,
                                                .limit = limit,
                                                .deadline = time_monotonic() + DIFF_FOR };
        struct bailey_home_changes changes = { .memory = r->arena, .workspace = r->workspace, .complete = 1 };
        struct home_list kept = {};
        struct home_changes found;

        if (r->base && home_list(r->base, r->arena, &kept, r->err) < 0)
                return -1;
        for (size_t i = 0; i < kept.count && !changes.kept; i++) {
                FD_AUTO layer = is_chosen(r, &kept.items[i]) ? home_open_kept(r->base, kept.items[i].name) : -1;

                if (layer < 0)
                        continue;
                settle(r, kept.items[i].name);
                request.layer = layer;
                if (home_changes_find(&request, r->arena, &found, r->err) < 0 || put_changes(r, &found, &changes) < 0)
                        return -1;
                changes.kept = 1;
                changes.in_use = kept.items[i].in_use;
        }
        *ret = changes;
        return 0;
}

int bailey_home_diff(const struct bailey_policy *policy, const char *const *environment, const char *workspace, size_t limit,
                     struct bailey_home_changes *ret, char *ret_error, size_t error_size) {
        struct err err = { 0 };
        struct arena *arena = config_memory_new(&err);
        struct request r = { policy, environment, BAILEY_HOME_ONE, .arena = arena, .err = &err };

        if (arena && request_begin(&r, workspace) == 0 && diff(&r, limit, ret) == 0)
                return 0;
        config_memory_free(arena);
        return config_hand_error(&err, ret_error, error_size);
}

void bailey_home_changes_free(struct bailey_home_changes *changes) {
        config_memory_free(changes->memory);
        *changes = (struct bailey_home_changes){ 0 };
}
