/*
 * Trust in the config files of workspaces, for the outside.
 */
#include <string.h>

#include "bailey.h"
#include "engine/config.h"
#include "policy/load.h"
#include "policy/trust.h"

enum { LIST_MAX = 8 << 20 };

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
                err_set(&err, ERR_MEMORY, "out of memory");
                return config_hand_error(&err, ret_error, error_size);
        }
        *ret_path = path;
        return changed;
}

/* ---- the list ---- */

static void list_text(const struct trust_list *list, struct buf *out) {
        for (size_t i = 0; i < list->count; i++)
                buf_format(out, "%s  %s\n", list->items[i].hash, list->items[i].path.ptr);
}

static void list_json(const struct trust_list *list, struct buf *out) {
        buf_char(out, '[');
        for (size_t i = 0; i < list->count; i++) {
                buf_format(out, "%s{\"sha256\": \"%s\", \"path\": ", i ? ",\n " : "", list->items[i].hash);
                buf_json(out, list->items[i].path);
                buf_char(out, '}');
        }
        buf_append(out, STR("]\n"));
}

int bailey_trust_list(const char *const *environment, enum bailey_answer answer, char **ret_text, size_t *ret_length,
                      char *ret_error, size_t error_size) {
        struct trust_list list;
        struct err err;
        struct buf out;
        ARENA_AUTO arena;

        arena_init(&arena, 0);
        buf_init(&out, LIST_MAX);
        if (trust_read(environment, &arena, &list, &err) < 0)
                return config_hand_error(&err, ret_error, error_size);
        if (answer == BAILEY_ANSWER_JSON)
                list_json(&list, &out);
        else
                list_text(&list, &out);
        if (config_hand_text(&out, ret_text, ret_length) == 0)
                return 0;
        err_set(&err, ERR_MEMORY, "out of memory");
        return config_hand_error(&err, ret_error, error_size);
}
