#include "protect/survey_inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "policy/files.h"
#include "protect/git_config.h"

enum {
        GIT_DIRS_MAX = 256, /* each has mounts of its own */
        FOLDERS_MAX = 2048,
        DEPTH_MAX = 16,
        INCLUDES_MAX = 32,
        HOOKS_MAX = 512, /* entries of a directory of hooks that are looked at */
};

/* ---- reading ---- */

int survey_read(struct survey *s, int fd, const char *name, size_t max, struct str *ret, struct err *err) {
        BUF_AUTO text;
        struct err why = { 0 };
        const char *copy;

        *ret = str_from(NULL, 0);
        buf_init(&text, max);
        if (file_read(fd, name, name, FILE_ANY, &text, &why) < 0) {
                if (why.code != ERR_TOO_COMPLEX && why.code != ERR_MEMORY)
                        return 0;
                return err_set(err, why.code, "%s", why.msg);
        }
        copy = arena_dup(s->arena, buf_str(&text));
        if (!copy)
                return err_set(err, ERR_MEMORY, "out of memory");
        *ret = str_from(copy, text.len);
        return 0;
}

/* ---- configs ---- */

struct config {
        struct survey *s;
        const char *folder;   /* of the file: what an include is relative to */
        const char *base;     /* what hooksPath is relative to; NULL: not known */
        const char *worktree; /* core.worktree, the last */
};

static int find_worktree(void *context, const struct git_setting *setting, struct err *err) {
        struct config *config = context;

        (void)err;
        if (str_is(setting->section, "core") && setting->subsection.len == 0 && str_is(setting->name, "worktree"))
                config->worktree = setting->value.ptr;
        return 0;
}

int survey_worktree(struct survey *s, struct str text, const char **ret, struct err *err) {
        struct config config = { .s = s };

        if (git_config_read(text, s->arena, find_worktree, &config, err) < 0)
                return -1;
        *ret = config.worktree;
        return 0;
}

/* git's `~/`; other users' homes are none of a workspace's business. */
static int resolve_value(struct survey *s, const char *from, const char *value, struct place *ret, struct err *err) {
        const char *home = strncmp(value, "~/", 2) == 0 ? s->home : NULL;

        *ret = (struct place){ 0 };
        if (!*value || (!home && value[0] == '~'))
                return 0;
        if (home)
                return home[0] == '/' && survey_join(s, home, value + 2, &value, err) == 0
                               ? survey_resolve(s, "/", value, ret, err)
                               : 0;
        return from || value[0] == '/' ? survey_resolve(s, from ? from : "/", value, ret, err) : 0;
}

/* A hook is often a link to a script in the repository. */
static int survey_hooks(struct survey *s, const char *path, struct err *err) {
        DIR *stream = opendir(path);
        const struct dirent *entry;
        struct place target;
        int failed = 0;

        for (int seen = 0; stream && !failed && seen < HOOKS_MAX && (entry = readdir(stream)); seen++) {
                if (entry->d_type != DT_LNK)
                        continue;
                failed = survey_resolve(s, path, entry->d_name, &target, err);
                if (!failed)
                        failed = survey_protect(s, &target, err);
        }
        if (stream)
                closedir(stream);
        return failed;
}

static int hooks_path(struct config *config, const char *value, struct err *err) {
        struct survey *s = config->s;
        struct place place;

        if (resolve_value(s, config->base, value, &place, err) < 0)
                return -1;
        if (!place.path)
                return 0;
        if (strcmp(place.path, s->workspace) == 0)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "core.hooksPath is the workspace itself, so its hooks cannot be protected; set it to a directory "
                        "of their own (%s)",
                        s->workspace);
        if (survey_protect(s, &place, err) < 0)
                return -1;
        return place.directory && survey_root(s, place.path) ? survey_hooks(s, place.path, err) : 0;
}

static int read_settings(struct config *config, struct str text, struct err *err);

static int include_path(struct config *config, const char *value, struct err *err) {
        struct config inner = *config;
        struct place place;
        struct str text;
        const char *slash;

        if (resolve_value(config->s, config->folder, value, &place, err) < 0)
                return -1;
        if (!place.path || survey_protect(config->s, &place, err) < 0)
                return place.path ? -1 : 0;
        if (!place.exists || place.directory)
                return 0;
        if (++config->s->includes > INCLUDES_MAX) /* git itself stops at ten in each other, so this may be a circle */
                return err_set(err, ERR_TOO_COMPLEX, "git's configs include more than %d others: %s", INCLUDES_MAX, place.path);
        if (survey_read(config->s, AT_FDCWD, place.path, SURVEY_CONFIG_MAX, &text, err) < 0)
                return -1;
        slash = strrchr(place.path, '/');
        inner.folder = arena_dup(config->s->arena, str_from(place.path, (size_t)(slash - place.path) + (slash == place.path)));
        return inner.folder ? read_settings(&inner, text, err) : err_set(err, ERR_MEMORY, "out of memory");
}

static int show_setting(void *context, const struct git_setting *setting, struct err *err) {
        struct config *config = context;

        if (str_is(setting->section, "core") && setting->subsection.len == 0 && str_is(setting->name, "hookspath"))
                return hooks_path(config, setting->value.ptr, err);
        if ((str_is(setting->section, "include") || str_is(setting->section, "includeif")) && str_is(setting->name, "path"))
                return include_path(config, setting->value.ptr, err);
        return 0;
}

static int read_settings(struct config *config, struct str text, struct err *err) {
        return text.ptr ? git_config_read(text, config->s->arena, show_setting, config, err) : 0;
}

/* ---- git directories ---- */

struct git_root {
        struct survey *s;
        const char *path; /* the outermost */
        const char *base; /* its work tree, or itself */
        bool nested;
};

/* The pointer of a submodule: git looks into submodules by itself, so what it points to must not change either. */
static int survey_submodule(struct survey *s, const char *git_dir, const char *worktree, const char **ret_base,
                            struct err *err) {
        struct place place, pointer;

        if (survey_resolve(s, git_dir, worktree, &place, err) < 0)
                return -1;
        *ret_base = place.path;
        if (!place.path || !survey_root(s, place.path) || !place.exists)
                return 0;
        if (survey_resolve(s, place.path, ".git", &pointer, err) < 0)
                return -1;
        if (!pointer.path || !pointer.directory)
                return survey_protect(s, &pointer, err);
        return survey_root(s, pointer.path) ? survey_git_dir(s, pointer.path, place.path, false, err) : 0;
}

static int survey_config(const struct git_root *root, int fd, const char *path, const char *name, struct err *err) {
        struct survey *s = root->s;
        bool module = strcmp(path, root->path) != 0;
        /* what config.worktree of another worktree says is taken for ours: too much rather than too little */
        struct config config = { .s = s, .folder = path, .base = module && strcmp(name, "config") == 0 ? NULL : root->base };
        const char *joined;
        struct str text;

        if (survey_read(s, fd, name, SURVEY_CONFIG_MAX, &text, err) < 0)
                return err_context(err, "%s", path);
        if (!text.ptr)
                return 0;
        if (survey_join(s, path, name, &joined, err) < 0)
                return -1;
        for (size_t i = 0; i < s->found->read_only.count; i++)
                if (!s->found->read_only.items[i].link && strcmp(s->found->read_only.items[i].path, joined) == 0)
                        s->found->read_only.items[i].content = text;
        if (survey_worktree(s, text, &config.worktree, err) < 0)
                return -1;
        if (module && config.worktree && survey_submodule(s, path, config.worktree, &config.base, err) < 0)
                return -1;
        return read_settings(&config, text, err);
}

static int visit_directory(void *context, int fd, const char *path, enum protect_kind kind, struct err *err) {
        const struct git_root *root = context;

        (void)fd;
        if (kind != PROTECT_FOLDER && root->s->walked.count >= GIT_DIRS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "more than %d git directories, which cannot all be protected: %s",
                               GIT_DIRS_MAX, root->path);
        if (kind != PROTECT_FOLDER && survey_add(root->s, &root->s->walked, (struct protected_path){ .path = path }, err) < 0)
                return -1;
        /* of a nested one what is read-only is anchored, so that a clone which has nothing of that kind can be removed */
        return root->nested ? 0 : survey_anchor(root->s, path, err);
}

static int visit_name(void *context, int fd, const char *path, const char *name, struct err *err) {
        const struct git_root *root = context;
        struct place hooks;

        if (survey_name(root->s, fd, path, name, err) < 0)
                return -1;
        if (strncmp(name, "config", 6) == 0)
                return survey_config(root, fd, path, name, err);
        if (strcmp(name, "hooks") != 0)
                return 0;
        if (survey_resolve(root->s, path, name, &hooks, err) < 0)
                return -1;
        return hooks.path && hooks.directory ? survey_hooks(root->s, hooks.path, err) : 0;
}

static int visit_too_deep(void *context, int fd, const char *path, const char *name, struct err *err) {
        (void)context, (void)fd, (void)name;
        return err_set(err, ERR_TOO_COMPLEX, "directories for git are more than %d deep: %s", DEPTH_MAX, path);
}

/* Another user's directory is closed to the command, too. */
static int visit_locked(void *context, int fd, const char *path, const char *name, struct err *err) {
        struct stat status;
        int why = errno;

        (void)context;
        if (why == EACCES && fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_uid != geteuid())
                return 0;
        errno = why;
        return err_sys(err, "cannot open %s in %s", name, path);
}

int survey_git_dir(struct survey *s, const char *path, const char *base, bool nested, struct err *err) {
        struct git_root root = { .s = s, .path = path, .base = base, .nested = nested };
        const struct protect_visitor visitor = {
                .context = &root,
                .max = FOLDERS_MAX,
                .depth = DEPTH_MAX,
                .directory = visit_directory,
                .name = visit_name,
                .too_deep = visit_too_deep,
                .locked = visit_locked,
        };
        FD_AUTO fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct protected_path item;
        bool is_link;

        if (fd < 0 || protect_stat(fd, "", &item, &is_link, err) != 0)
                return err_sys(err, "cannot open %s", path);
        item.path = path;
        if (protect_find(&s->found->git_dirs, path) || protect_find(&s->walked, path))
                return 0;
        s->includes = 0;
        if (survey_add(s, &s->found->git_dirs, item, err) < 0)
                return -1;
        return protect_walk(fd, path, &visitor, s->arena, err);
}
