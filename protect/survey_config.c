/*
 * What git configs make protected: directories of hooks, and files that they include. After a command only what they said
 * before counts.
 */
#include "protect/survey_inside.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "protect/git.h"

enum {
        INCLUDES_MAX = 32,
        HOOKS_MAX = 512, /* entries of a directory of hooks that are looked at */
        ADDRESSED_MAX = 64,
};

struct config {
        struct survey *s;
        const char *folder, *base; /* see survey_settings() */
        const char *worktree;      /* core.worktree, the last */
};

static bool is_core(const struct git_setting *setting, const char *name) {
        return str_is(setting->section, "core") && setting->subsection.len == 0 && str_is(setting->name, name);
}

static int find_worktree(void *context, const struct git_setting *setting, struct err *err) {
        struct config *config = context;

        (void)err;
        if (is_core(setting, "worktree"))
                config->worktree = setting->value.ptr;
        return 0;
}

static void read_config(struct config *config, struct str text, git_setting_fn *show) {
        if (text.ptr && !config->s->failed && git_config_read(text, config->s->arena, show, config, &config->s->last) < 0)
                survey_failed(config->s);
}

const char *survey_worktree(struct survey *s, struct str text) {
        struct config config = { .s = s };

        read_config(&config, text, find_worktree);
        return config.worktree;
}

/* ---- values ---- */

/* The home directory in /etc/passwd: the C library's functions would load modules into a static program. */
static const char *home_of(struct survey *s, struct str user) {
        BUF_AUTO text;
        struct str rest;

        buf_init(&text, SURVEY_FILE_MAX);
        if (file_read(AT_FDCWD, "/etc/passwd", "/etc/passwd", FILE_ANY, &text, NULL) < 0)
                return NULL;
        for (rest = buf_str(&text); rest.len; rest = str_skip(rest, str_find(rest, '\n') + 1)) {
                struct str line = str_take(rest, str_find(rest, '\n'));

                if (!str_starts(line, user) || str_skip(line, user.len).len == 0 || line.ptr[user.len] != ':')
                        continue;
                for (int field = 0; field < 5; field++)
                        line = str_skip(line, str_find(line, ':') + 1);
                return survey_keep(s, str_take(line, str_find(line, ':')));
        }
        return NULL;
}

/* As git reads a path: `~/` and `~USER/` are homes. */
static struct place resolve_value(struct survey *s, const char *from, const char *value) {
        const char *home = s->home, *rest = strchrnul(value, '/');

        if (value[0] == '~') {
                if (value[1] && value[1] != '/')
                        home = home_of(s, str_from(value + 1, (size_t)(rest - value - 1)));
                value = home && home[0] == '/' ? survey_join(s, home, *rest ? rest + 1 : ".") : "";
        }
        if (!*value || (!from && value[0] != '/'))
                return (struct place){ 0 };
        return survey_resolve(s, from ? from : "/", value);
}

void survey_hooks(struct survey *s, const char *path) {
        DIR *stream = opendir(path);
        const struct dirent *entry;

        for (int seen = 0; stream && !s->failed && seen < HOOKS_MAX && (entry = readdir(stream)); seen++)
                if (entry->d_type == DT_LNK)
                        survey_protect(s, survey_resolve(s, path, entry->d_name), PROTECTED_NAME);
        if (stream)
                closedir(stream);
}

static void hooks_path(struct survey *s, const char *base, const char *value) {
        struct place place;

        if (!base && value[0] != '/' && value[0] != '~' && s->hooks_path_count < SURVEY_HOOKS_PATHS) {
                s->hooks_paths[s->hooks_path_count++] = value;
                return;
        }
        place = resolve_value(s, base, value);
        if (place.path && strcmp(place.path, s->workspace) == 0) {
                survey_error(s, ERR_UNSUPPORTED, "core.hooksPath is the workspace itself (%s); set it to a separate directory",
                             place.path);
                return;
        }
        survey_protect(s, place, PROTECTED_HOOKS);
        if (place.path && place.directory && survey_root(s, place.path))
                survey_hooks(s, place.path);
}

static void include_path(struct config *config, const char *value) {
        struct survey *s = config->s;
        struct place place = resolve_value(s, config->folder, value);
        const char *slash = place.path ? strrchr(place.path, '/') : NULL;

        if (!slash)
                return;
        survey_protect(s, place, PROTECTED_NAME);
        if (++s->includes > INCLUDES_MAX)
                survey_error(s, ERR_TOO_COMPLEX, "more than %d included git configs: %s", INCLUDES_MAX, place.path);
        else
                survey_settings(s, survey_read(s, AT_FDCWD, place.path, SURVEY_FILE_MAX, FILE_ANY),
                                survey_keep(s, str_from(place.path, slash > place.path ? (size_t)(slash - place.path) : 1)),
                                config->base);
}

static int show_setting(void *context, const struct git_setting *setting, struct err *err) {
        struct config *config = context;

        (void)err;
        if (is_core(setting, "hookspath"))
                hooks_path(config->s, config->base, setting->value.ptr);
        if ((str_is(setting->section, "include") || str_is(setting->section, "includeif")) && str_is(setting->name, "path"))
                include_path(config, setting->value.ptr);
        return 0;
}

void survey_settings(struct survey *s, struct str text, const char *folder, const char *base) {
        struct config config = { .s = s, .folder = folder, .base = base };

        if (!s->before)
                read_config(&config, text, show_setting);
}

/* ---- remotes ---- */

static int show_address(void *context, const struct git_setting *setting, struct err *err) {
        struct config *config = context;
        const char *value = setting->value.ptr;
        bool file = strncmp(value, "file://", 7) == 0;
        struct place place;

        (void)err;
        if (!str_is(setting->section, "remote") || (!str_is(setting->name, "url") && !str_is(setting->name, "pushurl")) ||
            (!file && strcspn(value, ":") < strcspn(value, "/"))) /* scheme://, host:path */
                return 0;
        place = resolve_value(config->s, config->base, file ? value + 7 : value);
        if (place.directory && survey_root(config->s, place.path))
                survey_add(config->s, &config->s->addressed, (struct protected_path){ .path = place.path });
        return 0;
}

void survey_addresses(struct survey *s, struct str text, const char *base) {
        struct config config = { .s = s, .base = base };

        read_config(&config, text, show_address);
}

/* Not while configs are read: one repository may lead to the next, and so on. */
void survey_addressed(struct survey *s) {
        for (size_t i = 0; i < s->addressed.count && i < ADDRESSED_MAX && !s->failed; i++) {
                FD_AUTO fd = path_open(s->addressed.items[i].path, O_PATH | O_DIRECTORY);

                if (fd >= 0)
                        survey_tree(s, fd, s->addressed.items[i].path, true);
        }
}

/* ---- configs outside ---- */

static void read_outside(struct survey *s, const char *folder, const char *name, const char *base) {
        s->includes = 0;
        survey_settings(s, survey_read(s, AT_FDCWD, survey_join(s, folder, name), SURVEY_FILE_MAX, FILE_ANY), folder, base);
}

void survey_global(struct survey *s) {
        read_outside(s, "/etc", "gitconfig", NULL);
        if (s->home && s->home[0] == '/') {
                read_outside(s, s->home, ".gitconfig", NULL);
                read_outside(s, survey_join(s, s->home, ".config/git"), "config", NULL);
        }
}

void survey_apply_global(struct survey *s, const char *base) {
        for (size_t i = 0; base && i < s->hooks_path_count; i++)
                hooks_path(s, base, s->hooks_paths[i]);
}

void survey_above(struct survey *s) {
        struct str path = str_z(s->workspace);
        struct stat status;

        for (const char *slash; (slash = memrchr(path.ptr, '/', path.len)) && slash > path.ptr;) {
                const char *tree = survey_keep(s, path = str_from(path.ptr, (size_t)(slash - path.ptr)));
                const char *git_dir = survey_join(s, tree, ".git");

                if (stat(git_dir, &status) == 0 && S_ISDIR(status.st_mode)) {
                        read_outside(s, git_dir, "config", tree);
                        survey_apply_global(s, tree);
                        return;
                }
        }
}
