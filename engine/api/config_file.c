#include "engine/api/config_file.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "policy/files.h"

int config_change_begin(const char *const *environment, struct arena *arena, struct config_change *ret, struct err *err) {
        struct config_change change = {};

        if (user_config_read(environment, arena, &change.config, err) < 0)
                return -1;
        buf_init(&change.text, TREE_TEXT_MAX);
        buf_append(&change.text, change.config.content);
        *ret = change;
        return 0;
}

void config_change_free(struct config_change *change) {
        buf_free(&change->text);
}

int config_change_add(struct config_change *change, const struct list_value *value, struct arena *arena, struct err *err) {
        struct str now = str_from(arena_dup(arena, buf_str(&change->text)), change->text.len);
        int added;

        if (!now.ptr || change->text.failed)
                return err_memory(err);
        buf_clear(&change->text);
        added = config_list_add(now, change->config.path, value, arena, &change->text, err);
        if (added <= 0) { /* nothing was written, or what is not wanted */
                buf_clear(&change->text);
                buf_append(&change->text, now);
        }
        change->changed |= added > 0;
        return added < 0 ? -1 : 0;
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

int config_change_write(const struct config_change *change, struct arena *arena, struct err *err) {
        struct str text = buf_str(&change->text);

        if (change->text.failed)
                return err_memory(err);
        if (!change->changed)
                return 0;
        if (check_text(text, change->config.path, arena, err) < 0 || replace(change->config.path, text, err) < 0)
                return -1;
        return 1;
}
