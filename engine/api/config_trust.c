/*
 * Trust in the config files of workspaces, for the outside.
 */
#include <string.h>

#include "bailey.h"
#include "engine/config.h"
#include "policy/load.h"
#include "policy/trust.h"

/* What does not load is not worth trusting; better to hear of it now. */
static int content_check(const struct config_text *file, struct arena *arena, struct err *err) {
        struct config config = { .file = file->path };
        enum config_language language;

        if (config_language(file->path, &language) < 0)
                return err_set(err, ERR_INVALID, "%s: not a config file", file->path);
        return config_read(file->content, language, arena, &config, err);
}

static int trust_change(const char *const *environment, const char *directory, bool trust, struct arena *arena,
                        struct config_text *file, bool *changed, struct err *err) {
        if (workspace_config_read(directory, arena, file, err) < 0)
                return -1;
        if (trust && content_check(file, arena, err) < 0)
                return -1;
        return trust_set(environment, file->path, trust ? &file->content : NULL, changed, err);
}

int bailey_trust(const char *const *environment, const char *directory, int trust, char **ret_path, char *ret_error,
                 size_t error_size) {
        struct config_text file;
        bool changed = false;
        struct err err;
        ARENA_AUTO arena;
        char *path;

        arena_init(&arena, 0);
        if (trust_change(environment, directory, trust != 0, &arena, &file, &changed, &err) < 0)
                return config_hand_error(&err, ret_error, error_size);
        path = strdup(file.path);
        if (!path) {
                err_memory(&err);
                return config_hand_error(&err, ret_error, error_size);
        }
        *ret_path = path;
        return changed;
}

/* ---- the list ---- */

static int put_files(const char *const *environment, struct arena *arena, struct bailey_trusted_files *ret, struct err *err) {
        struct bailey_trusted_file *items;
        struct trust_list list;

        if (trust_read(environment, arena, &list, err) < 0)
                return -1;
        items = arena_alloc(arena, (list.count + 1) * sizeof(*items));
        if (!items)
                return err_memory(err);
        for (size_t i = 0; i < list.count; i++)
                items[i] = (struct bailey_trusted_file){ list.items[i].path.ptr, list.items[i].hash };
        *ret = (struct bailey_trusted_files){ items, list.count, arena };
        return 0;
}

int bailey_trust_list(const char *const *environment, struct bailey_trusted_files *ret, char *ret_error, size_t error_size) {
        struct bailey_trusted_files files;
        struct err err;
        struct arena *arena = config_memory_new(&err);

        if (!arena || put_files(environment, arena, &files, &err) < 0) {
                config_memory_free(arena);
                return config_hand_error(&err, ret_error, error_size);
        }
        *ret = files;
        return 0;
}

void bailey_trusted_files_free(struct bailey_trusted_files *files) {
        config_memory_free(files->memory);
        *files = (struct bailey_trusted_files){};
}
