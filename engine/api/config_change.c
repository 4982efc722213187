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
#include "engine/session/change.h"
#include "engine/config.h"
#include "policy/edit.h"
#include "policy/files.h"
#include "policy/load.h"

/* Is it a value that the config would take, and would it do anything beside what the files say? */
static int check_item(const struct config_item *item, const char *const *environment, struct arena *arena, struct err *err) {
        const char *const overrides[] = { change_override(item, arena), NULL };
        struct policy_request request = { .overrides = overrides, .environment = environment };
        const struct policy *policy;

        if (!overrides[0])
                return err_set(err, ERR_MEMORY, "out of memory");
        return policy_load(&request, arena, &policy, err) < 0 ? -1 : change_check(policy, item, err);
}

/* All that a person changes is in [guard]. */
static struct list_value value_of(const struct config_item *item) {
        const char *key = item->key + strlen("guard.");

        return (struct list_value){
                .table = "guard",
                .key = key,
                .member = strcmp(key, "dangerous_patterns") == 0 ? "regex" : NULL,
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

static int change_file(const char *const *environment, const struct config_item *item, struct arena *arena, char **ret_path,
                       struct err *err) {
        struct list_value value = value_of(item);
        struct config_text config;
        int changed;
        BUF_AUTO text;

        buf_init(&text, TREE_TEXT_MAX);
        if (check_item(item, environment, arena, err) < 0 || user_config_read(environment, arena, &config, err) < 0)
                return -1;
        changed = config_list_add(config.content, config.path, &value, arena, &text, err);
        if (changed < 0 || (changed == 1 && (check_text(buf_str(&text), config.path, arena, err) < 0 ||
                                             replace(config.path, buf_str(&text), err) < 0)))
                return -1;
        *ret_path = strdup(config.path);
        return *ret_path ? changed : err_set(err, ERR_MEMORY, "out of memory");
}

int bailey_config_change(const char *const *environment, enum bailey_change change, const char *subject, char **ret_path,
                         char *ret_error, size_t error_size) {
        struct config_item item;
        struct err err = {};
        ARENA_AUTO arena;
        int result;

        arena_init(&arena, 0);
        result = change_item(change, subject, &arena, &item, &err);
        if (result == 0)
                result = change_file(environment, &item, &arena, ret_path, &err);
        return result < 0 ? config_hand_error(&err, ret_error, error_size) : result;
}
