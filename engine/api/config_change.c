/*
 * A change for good, in the user's config file.
 */
#include <string.h>

#include "engine/api/config_file.h"
#include "engine/config.h"
#include "engine/session/change.h"

/* Are these values that the config would take, and would they do anything beside what the files say? */
int change_config_items(enum bailey_change change, const char *subject, const char *const *environment, struct arena *arena,
                        struct change_items *ret, struct err *err) {
        struct policy_request request = { .environment = environment };
        const struct policy *policy, *changed;
        const char *const *overrides;

        if (policy_load(&request, arena, &policy, err) < 0 || change_items(change, subject, policy, arena, ret, err) < 0)
                return -1;
        for (size_t i = 0; i < ret->count; i++)
                if (ret->items[i].remove)
                        return err_set(err, ERR_REFUSED, "%s: remove it from %s in your config file", ret->items[i].value,
                                       ret->items[i].key);
        overrides = change_overrides(ret, policy, arena);
        if (!overrides)
                return err_memory(err);
        return policy_override(policy, overrides, arena, &changed, err) < 0 ? -1 : change_check(changed, ret, err);
}

static struct list_value value_of(const struct config_item *item, struct arena *arena) {
        const char *dot = strrchr(item->key, '.');

        return (struct list_value){
                .table = arena_dup(arena, str_from(item->key, (size_t)(dot - item->key))),
                .key = dot + 1,
                .value = str_z(item->value),
        };
}

static int change_file(const char *const *environment, const struct change_items *items, struct arena *arena, char **ret_path,
                       struct err *err) {
        struct config_change change;
        int changed = 0;

        if (config_change_begin(environment, arena, &change, err) < 0)
                return -1;
        for (size_t i = 0; i < items->count && changed == 0; i++) {
                struct list_value value = value_of(&items->items[i], arena);

                changed = value.table ? config_change_add(&change, &value, arena, err) : err_memory(err);
        }
        if (changed == 0)
                changed = config_change_write(&change, arena, err);
        if (changed >= 0 && !(*ret_path = strdup(change.config.path)))
                changed = err_memory(err);
        config_change_free(&change);
        return changed;
}

int bailey_config_change(const char *const *environment, enum bailey_change change, const char *subject, char **ret_path,
                         char *ret_error, size_t error_size) {
        struct change_items items;
        struct err err = {};
        ARENA_AUTO arena;
        int result;

        arena_init(&arena, 0);
        result = change_config_items(change, subject, environment, &arena, &items, &err);
        if (result == 0)
                result = change_file(environment, &items, &arena, ret_path, &err);
        return result < 0 ? config_hand_error(&err, ret_error, error_size) : result;
}
