/*
 * The lines of a proposal in a config file, and what changes in it.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/api/config_file.h"
#include "engine/config.h"
#include "engine/policy.h"
#include "stage/text_diff.h"

static struct list_value value_of(const struct bailey_learn_line *line, struct arena *arena) {
        const char *dot = strrchr(line->key, '.');

        return (struct list_value){ .table = arena_dup(arena, str_from(line->key, (size_t)(dot - line->key))),
                                    .key = dot + 1,
                                    .value = str_z(line->value),
                                    .alone = !line->list };
}

static int begin(const char *const *environment, const char *workspace, struct arena *arena, struct config_change *ret,
                 struct err *err) {
        struct config_text text;
        char *path;

        if (!workspace)
                return config_change_begin(environment, arena, ret, err);
        if (workspace_config_read(workspace, arena, &text, err) < 0) {
                if (err->code != ERR_NOT_FOUND)
                        return -1;
                path = arena_bytes(arena, PATH_MAX);
                if (!path)
                        return err_memory(err);
                snprintf(path, PATH_MAX, "%s/.bailey.toml", workspace);
                text = (struct config_text){ .path = path, .content = STR("") };
        }
        *ret = (struct config_change){ .config = text };
        buf_init(&ret->text, TREE_TEXT_MAX);
        buf_append(&ret->text, text.content);
        return 0;
}

static int put_lines(const struct bailey_learned *learned, struct config_change *change, struct arena *arena, struct err *err) {
        for (size_t i = 0; i < learned->line_count; i++) {
                struct list_value value = value_of(&learned->lines[i], arena);

                if (!value.table)
                        return err_memory(err);
                if (config_change_add(change, &value, arena, err) < 0)
                        return -1;
        }
        return 0;
}

static int put_diff(const struct config_change *change, struct arena *arena, struct buf *out, struct err *err) {
        const char *path = change->config.path;
        struct text_diff counts;

        buf_format(out, "--- %s\n+++ %s\n", change->config.content.len ? path : "/dev/null", path);
        return text_diff(change->config.content, buf_str(&change->text), arena, &counts, out, err);
}

static int make(const struct bailey_learned *learned, struct config_change *change, int write, struct arena *arena,
                char **ret_path, char **ret_diff, struct err *err) {
        size_t ignored;
        struct buf diff;

        buf_init(&diff, (size_t)4 * TREE_TEXT_MAX);
        if (put_lines(learned, change, arena, err) < 0 || put_diff(change, arena, &diff, err) < 0 ||
            (write && config_change_write(change, arena, err) < 0)) {
                buf_free(&diff);
                return -1;
        }
        *ret_path = strdup(change->config.path);
        if (config_hand_text(&diff, ret_diff, &ignored) < 0 || !*ret_path)
                return err_memory(err);
        return change->changed;
}

int bailey_learn_config(const struct bailey_learned *learned, const char *const *environment, const char *workspace, int write,
                        char **ret_path, char **ret_diff, char *ret_error, size_t error_size) {
        struct config_change change = {};
        struct err err = {};
        ARENA_AUTO arena;
        int result;

        arena_init(&arena, 0);
        result = begin(environment, workspace, &arena, &change, &err);
        if (result == 0)
                result = make(learned, &change, write, &arena, ret_path, ret_diff, &err);
        config_change_free(&change);
        return result < 0 ? config_hand_error(&err, ret_error, error_size) : result;
}
