/*
 * A change for good, in the user's config file.
 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "engine/config.h"
#include "engine/session/change.h"
#include "policy/config.h"
#include "policy/files.h"
#include "policy/load.h"

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

/* What comes of it has to be a config, too. */
static int check_text(struct str text, const char *path, struct arena *arena, struct err *err) {
        struct config config = { .layer = LAYER_USER, .file = path, .trusted = true };
        enum config_language language;

        if (config_language(path, &language) < 0)
                return err_set(err, ERR_INVALID, "%s: unknown file type: the name must end in .toml, .json5 or .json", path);
        return config_read(text, language, arena, &config, err);
}

/* Where a link leads, so that it stays one. */
static int replace(const char *path, struct str text, struct err *err) {
        char real[PATH_MAX], copy[PATH_MAX];
        struct stat st = { .st_mode = 0644 };
        FD_AUTO directory = -1;

        if (!realpath(path, real))
                snprintf(real, sizeof(real), "%s", path);
        else if (stat(real, &st) < 0)
                return err_sys(err, "%s", real);
        memcpy(copy, real, sizeof(copy));
        if (directory_make(dirname(copy), &directory, err) < 0)
                return -1;
        return file_replace(directory, strrchr(real, '/') + 1, text, st.st_mode & 0777, err);
}

/* Puts one after the other into the text. Returns whether it has changed. */
static int change_text(const struct change_items *items, const struct config_text *config, struct arena *arena,
                       struct buf *text, struct err *err) {
        int changed = 0;

        buf_append(text, config->content);
        for (size_t i = 0; i < items->count; i++) {
                struct list_value value = value_of(&items->items[i], arena);
                struct str now = str_from(arena_dup(arena, buf_str(text)), text->len);
                int added;

                if (!value.table || !now.ptr || text->failed)
                        return err_memory(err);
                buf_clear(text);
                added = config_list_add(now, config->path, &value, arena, text, err);
                if (added < 0)
                        return -1;
                if (added == 0) { /* nothing was written */
                        buf_clear(text);
                        buf_append(text, now);
                }
                changed |= added;
        }
        return changed;
}

static int change_file(const char *const *environment, const struct change_items *items, struct arena *arena, char **ret_path,
                       struct err *err) {
        struct config_text config;
        int changed;
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        if (user_config_read(environment, arena, &config, err) < 0)
                return -1;
        changed = change_text(items, &config, arena, &text, err);
        if (changed < 0 || (changed == 1 && (check_text(buf_str(&text), config.path, arena, err) < 0 ||
                                             replace(config.path, buf_str(&text), err) < 0)))
                return -1;
        *ret_path = strdup(config.path);
        return *ret_path ? changed : err_memory(err);
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
