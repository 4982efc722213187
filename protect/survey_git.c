#include "protect/survey_inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "policy/files.h"
#include "protect/git_config.h"
#include "protect/git_keys.h"

enum {
        GIT_DIRS_MAX = 256, /* each has mounts of its own */
        FOLDERS_MAX = 2048,
        WHOLE_MAX = 1024, /* of those past it, at a time */
        DEPTH_MAX = 16,
        INCLUDES_MAX = 32,
        HOOKS_MAX = 512, /* entries of a directory of hooks that are looked at */
};

/* What git runs, or what tells it what to run, in a git directory and in the entry of a linked worktree. Attributes and
 * alternates are not among them: without a config that names a program they run nothing. */
static const struct {
        const char *name;
        enum protected_kind kind, of_entry;
} git_names[] = {
        { "commondir", PROTECTED_NAME, PROTECTED_ENTRY },
        { "config", PROTECTED_CONFIG, PROTECTED_CONFIG },
        { "config.worktree", PROTECTED_CONFIG, PROTECTED_CONFIG },
        { "gitdir", PROTECTED_NAME, PROTECTED_ENTRY },
        { "hooks", PROTECTED_HOOKS, PROTECTED_HOOKS },
};

/* ---- reading ---- */

/* What git could not read either is no text. After a command, nothing that cannot be read counts as harmless. */
int survey_read(struct survey *s, int fd, const char *name, size_t max, struct str *ret, struct err *err) {
        BUF_AUTO text;
        struct err why = { 0 };
        const char *copy;

        *ret = str_from(NULL, 0);
        buf_init(&text, max);
        if (file_read(fd, name, name, FILE_ANY, &text, &why) < 0) {
                bool closed = why.sys == ENOENT || why.sys == ENOTDIR || why.sys == ELOOP || why.sys == EACCES ||
                              why.sys == EISDIR || why.sys == ENXIO || why.code == ERR_INVALID || why.code == ERR_NOT_FOUND;

                if (closed || (s->before && why.code != ERR_MEMORY))
                        return 0;
                if (why.sys)
                        errno = why.sys;
                return why.sys ? err_sys(err, "%s", name) : err_set(err, why.code, "%s", why.msg);
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

/* The home directory in /etc/passwd: the C library's functions would load modules into a static program. */
static const char *home_of(struct survey *s, struct str user) {
        BUF_AUTO text;
        struct str rest;

        buf_init(&text, 1 << 20);
        if (file_read(AT_FDCWD, "/etc/passwd", "/etc/passwd", FILE_ANY, &text, NULL) < 0)
                return NULL;
        for (rest = buf_str(&text); rest.len; rest = str_skip(rest, str_find(rest, '\n') + 1)) {
                struct str line = str_take(rest, str_find(rest, '\n'));

                if (!str_starts(line, user) || str_skip(line, user.len).len == 0 || line.ptr[user.len] != ':')
                        continue;
                for (int field = 0; field < 5; field++)
                        line = str_skip(line, str_find(line, ':') + 1);
                return arena_dup(s->arena, str_take(line, str_find(line, ':')));
        }
        return NULL;
}

/* As git reads a path: `~/` and `~USER/` are homes. */
static int resolve_value(struct survey *s, const char *from, const char *value, struct place *ret, struct err *err) {
        const char *home = s->home, *rest = strchrnul(value, '/');

        *ret = (struct place){ 0 };
        if (!*value)
                return 0;
        if (value[0] != '~')
                return from || value[0] == '/' ? survey_resolve(s, from ? from : "/", value, ret, err) : 0;
        if (value[1] && value[1] != '/')
                home = home_of(s, str_from(value + 1, (size_t)(rest - value - 1)));
        if (!home || home[0] != '/')
                return 0;
        return survey_join(s, home, *rest ? rest + 1 : ".", &value, err) < 0 ? -1 : survey_resolve(s, "/", value, ret, err);
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
                        failed = survey_protect(s, &target, PROTECTED_NAME, err);
        }
        if (stream)
                closedir(stream);
        return failed;
}

static int hooks_path(struct config *config, const char *value, struct err *err) {
        struct survey *s = config->s;
        struct place place;

        if (!config->base && value[0] != '/' && value[0] != '~' && s->hooks_path_count < SURVEY_HOOKS_PATHS) {
                s->hooks_paths[s->hooks_path_count++] = value;
                return 0;
        }
        if (resolve_value(s, config->base, value, &place, err) < 0)
                return -1;
        if (!place.path)
                return 0;
        if (strcmp(place.path, s->workspace) == 0)
                return err_set(err, ERR_UNSUPPORTED,
                               "core.hooksPath is %s, so hooks cannot be told from the files of the workspace; set it to a "
                               "directory of their own",
                               place.path);
        if (survey_protect(s, &place, PROTECTED_HOOKS, err) < 0)
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
        if (!place.path || survey_protect(config->s, &place, PROTECTED_NAME, err) < 0)
                return place.path ? -1 : 0;
        if (++config->s->includes > INCLUDES_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "more than %d included git configs: %s", INCLUDES_MAX, place.path);
        if (survey_read(config->s, AT_FDCWD, place.path, SURVEY_CONFIG_MAX, &text, err) < 0)
                return -1;
        slash = strrchr(place.path, '/');
        inner.folder = arena_dup(config->s->arena, str_from(place.path, slash > place.path ? (size_t)(slash - place.path) : 1));
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

/* After a command only what configs said before counts. */
static int read_settings(struct config *config, struct str text, struct err *err) {
        return !config->s->before && text.ptr && git_config_read(text, config->s->arena, show_setting, config, err) < 0 ? -1
                                                                                                                        : 0;
}

/* ---- configs outside ---- */

static int read_outside(struct survey *s, const char *folder, const char *name, const char *base, struct err *err) {
        struct config config = { .s = s, .folder = folder, .base = base };
        const char *path;
        struct str text;

        if (survey_join(s, folder, name, &path, err) < 0 || survey_read(s, AT_FDCWD, path, SURVEY_CONFIG_MAX, &text, err) < 0)
                return -1;
        s->includes = 0;
        return read_settings(&config, text, err);
}

int survey_global(struct survey *s, struct err *err) {
        if (read_outside(s, "/etc", "gitconfig", NULL, err) < 0)
                return -1;
        if (!s->home || s->home[0] != '/')
                return 0;
        return read_outside(s, s->home, ".gitconfig", NULL, err) < 0
                       ? -1
                       : read_outside(s, s->home, ".config/git/config", NULL, err);
}

/* What holds for every repository holds for this one, whose work tree is `base`. */
static int apply_global(struct survey *s, const char *base, struct err *err) {
        struct config config = { .s = s, .base = base };

        for (size_t i = 0; base && i < s->hooks_path_count; i++)
                if (hooks_path(&config, s->hooks_paths[i], err) < 0)
                        return -1;
        return 0;
}

int survey_above(struct survey *s, struct err *err) {
        char *path = arena_dup(s->arena, str_z(s->workspace));
        struct stat status;

        if (!path)
                return err_set(err, ERR_MEMORY, "out of memory");
        for (char *slash = strrchr(path, '/'); slash && slash > path; slash = strrchr(path, '/')) {
                const char *git_dir;

                *slash = '\0';
                if (survey_join(s, path, ".git", &git_dir, err) < 0)
                        return -1;
                if (stat(git_dir, &status) == 0 && S_ISDIR(status.st_mode))
                        return read_outside(s, git_dir, "config", path, err) < 0 ? -1 : apply_global(s, path, err);
        }
        return 0;
}

/* ---- git directories ---- */

struct git_root {
        struct survey *s;
        const char *path; /* the outermost */
        const char *base; /* its work tree, or itself */
        bool nested;
};

static DIR *list(int directory, const char *name) {
        FD_AUTO fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        DIR *stream = fd < 0 ? NULL : fdopendir(fd);

        if (stream)
                TAKE_FD(fd);
        return stream;
}

static bool there(int directory, const char *name) {
        struct stat status;

        return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0;
}

bool survey_is_git_dir(int directory, bool top) {
        if (!there(directory, "HEAD"))
                return false;
        if (there(directory, "commondir") || (there(directory, "objects") && there(directory, "refs")))
                return true;
        return !top && (there(directory, "config") || there(directory, "objects"));
}

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
                return survey_protect(s, &pointer, PROTECTED_POINTER, err);
        return survey_root(s, pointer.path) ? survey_git_dir(s, pointer.path, place.path, false, err) : 0;
}

static void keep_content(struct survey *s, const char *path, struct str text) {
        struct protected_paths *lists[] = { &s->found->read_only, &s->found->checked };

        for (size_t i = 0; i < 2; i++)
                for (size_t j = 0; j < lists[i]->count; j++)
                        if (!lists[i]->items[j].link && strcmp(lists[i]->items[j].path, path) == 0)
                                lists[i]->items[j].content = text;
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
        keep_content(s, joined, text);
        if (survey_worktree(s, text, &config.worktree, err) < 0)
                return -1;
        if (module && config.worktree && survey_submodule(s, path, config.worktree, &config.base, err) < 0)
                return -1;
        return read_settings(&config, text, err);
}

/* A repository that any command could have made is not covered: so that it can be removed and configured. It is looked at
 * afterwards, as a new one is. */
static bool is_plain(const struct git_root *root, int fd, const char *path) {
        const struct git_repository repository = { path, root->s->workspace, NULL };
        struct str text;
        DIR *stream;
        const struct dirent *entry;
        bool plain = root->nested && !there(fd, "config.worktree") && !there(fd, "commondir") && !there(fd, "gitdir");

        if (!plain || survey_read(root->s, fd, "config", SURVEY_CONFIG_MAX, &text, NULL) < 0 ||
            (!text.ptr && there(fd, "config")) || !git_config_is_harmless(STR(""), text, &repository, root->s->arena))
                return false;
        if (!there(fd, "hooks"))
                return true;
        stream = list(fd, "hooks");
        while (stream && plain && (entry = readdir(stream)))
                plain = entry->d_name[0] == '.' || str_ends(str_z(entry->d_name), STR(".sample"));
        plain = plain && stream;
        if (stream)
                closedir(stream);
        return plain;
}

bool survey_is_entry_harmless(int fd, const char *name) {
        struct stat status;
        BUF_AUTO text;

        buf_init(&text, 64);
        if (strcmp(name, "gitdir") == 0) /* only tells git what may be pruned */
                return fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
        return file_read(fd, name, name, FILE_NO_LINK, &text, NULL) == 0 && str_is(buf_str(&text), "../..\n");
}

static int survey_git_name(const struct git_root *root, int fd, const char *path, const char *name, enum protected_kind kind,
                           bool covered, struct err *err) {
        struct survey *s = root->s;
        struct place hooks;

        if (kind == PROTECTED_ENTRY)
                covered = there(fd, name) && !survey_is_entry_harmless(fd, name);
        if (survey_name(s, fd, path, name, kind, covered, err) < 0)
                return -1;
        if (kind == PROTECTED_CONFIG)
                return survey_config(root, fd, path, name, err);
        if (kind != PROTECTED_HOOKS || !covered || s->before)
                return 0;
        if (survey_resolve(s, path, name, &hooks, err) < 0)
                return -1;
        return hooks.path && hooks.directory ? survey_hooks(s, hooks.path, err) : 0;
}

int survey_content(struct survey *s, const char *path, enum protected_kind kind, struct err *err) {
        struct str text;

        if (kind != PROTECTED_CONFIG && kind != PROTECTED_TODO)
                return 0;
        if (survey_read(s, AT_FDCWD, path, SURVEY_CONFIG_MAX, &text, err) < 0)
                return -1;
        if (text.ptr)
                keep_content(s, path, text);
        return 0;
}

static int walk_git_dir(const struct git_root *root, int fd, const char *path, bool entry, unsigned depth, struct err *err);

/* Opens a directory in another one; -1 as fd: there is none, or it is looked after otherwise. */
static int walk_open(const struct git_root *root, int parent, const char *path, const char *name, const char **ret_path,
                     int *ret_fd, struct err *err) {
        struct survey *s = root->s;

        *ret_fd = -1;
        if (survey_join(s, path, name, ret_path, err) < 0)
                return -1;
        for (int tries = 0; tries < 3; tries++) {
                FD_AUTO fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                int again;

                if (fd >= 0 && faccessat(fd, ".", F_OK, 0) == 0) { /* what can be listed cannot always be searched */
                        *ret_fd = TAKE_FD(fd);
                        return 0;
                }
                if (errno == ENOENT)
                        return 0;
                if (errno == ENOTDIR || errno == ELOOP)
                        break;
                if (errno != EACCES)
                        return err_sys(err, "%s", *ret_path);
                again = survey_closed(s, *ret_path, err);
                if (again <= 0)
                        return again;
        }
        /* a link where a directory should be leads git elsewhere */
        return survey_name(s, parent, path, name, PROTECTED_NAME, true, err);
}

static int survey_todo(const struct git_root *root, int fd, const char *path, struct err *err) {
        FD_AUTO folder = -1;
        const char *folder_path, *joined;

        if (walk_open(root, fd, path, "rebase-merge", &folder_path, &folder, err) < 0)
                return -1;
        if (folder < 0)
                return 0;
        if (survey_name(root->s, folder, folder_path, "git-rebase-todo", PROTECTED_TODO, false, err) < 0 ||
            survey_join(root->s, folder_path, "git-rebase-todo", &joined, err) < 0)
                return -1;
        return survey_content(root->s, joined, PROTECTED_TODO, err);
}

/* What was protected in a directory before is looked at, however much there is besides. */
static bool holds_known(const struct survey *s, const char *path) {
        for (size_t i = 0; s->before && i < s->before->read_only.count; i++)
                if (path_below(s->before->read_only.items[i].path, path))
                        return true;
        return false;
}

/* Every directory in this one, which is `modules`, `worktrees` or a directory of the former. */
static int walk_entries(const struct git_root *root, int fd, const char *path, bool entries, unsigned depth, struct err *err) {
        static const char too_much[] = "too much in it to protect one by one: read-only while commands run";
        struct survey *s = root->s;
        DIR *stream = list(fd, ".");
        const struct dirent *entry;
        int failed = 0;

        if (!stream)
                return err_sys(err, "cannot list %s", path);
        while (!failed && (entry = readdir(stream))) {
                FD_AUTO inner = -1;
                const char *inner_path;

                if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || entry->d_type == DT_REG)
                        continue;
                failed = walk_open(root, fd, path, entry->d_name, &inner_path, &inner, err);
                if (failed || inner < 0) {
                        failed = failed ? survey_failed(s, err) : 0;
                        continue;
                }
                if (++s->folders > FOLDERS_MAX && !holds_known(s, path)) {
                        failed = survey_whole(s, path, too_much, err);
                        break;
                }
                if (depth >= DEPTH_MAX || (s->folders > FOLDERS_MAX && !holds_known(s, inner_path)))
                        failed = s->folders > FOLDERS_MAX + WHOLE_MAX
                                         ? err_set(err, ERR_TOO_COMPLEX, "more than %d directories for git in %s", FOLDERS_MAX,
                                                   path)
                                         : survey_whole(s, inner_path, too_much, err);
                else if (entries || survey_is_git_dir(inner, false))
                        failed = walk_git_dir(root, inner, inner_path, entries, depth + 1, err);
                else
                        failed = walk_entries(root, inner, inner_path, false, depth + 1, err);
                if (failed && err && err->code != ERR_TOO_COMPLEX)
                        failed = survey_failed(s, err);
        }
        closedir(stream);
        return failed;
}

static int walk_folder(const struct git_root *root, int git_dir, const char *path, const char *name, unsigned depth,
                       struct err *err) {
        FD_AUTO fd = -1;
        const char *joined;

        if (walk_open(root, git_dir, path, name, &joined, &fd, err) < 0)
                return -1;
        if (fd < 0)
                return 0;
        if (!root->nested && name[0] != 'w' && survey_anchor(root->s, joined, err) < 0)
                return -1;
        return walk_entries(root, fd, joined, name[0] == 'w', depth, err);
}

static int walk_git_dir(const struct git_root *root, int fd, const char *path, bool entry, unsigned depth, struct err *err) {
        struct survey *s = root->s;
        bool covered = !is_plain(root, fd, path);

        if (covered && !s->before && s->walked.count >= GIT_DIRS_MAX)
                return survey_whole(s, path, "one git directory too many: read-only while commands run", err);
        if (survey_add(s, &s->walked, (struct protected_path){ .path = path }, err) < 0)
                return -1;
        /* of a nested one what is covered is anchored, so that a clone which has nothing of that kind can be removed */
        if (!root->nested && !entry && survey_anchor(s, path, err) < 0)
                return -1;
        for (size_t i = 0; i < sizeof(git_names) / sizeof(*git_names); i++)
                if (survey_git_name(root, fd, path, git_names[i].name, entry ? git_names[i].of_entry : git_names[i].kind,
                                    covered, err) < 0 &&
                    survey_failed(s, err) < 0)
                        return -1;
        if (survey_todo(root, fd, path, err) < 0 && survey_failed(s, err) < 0)
                return -1;
        if (!entry && walk_folder(root, fd, path, "worktrees", depth, err) < 0 && survey_failed(s, err) < 0)
                return -1;
        return walk_folder(root, fd, path, "modules", depth, err); /* a worktree has its own submodules */
}

/* A directory of the user's may have been made to look like a bare repository: its `hooks` and `config` are not to be touched
 * for that, but what makes it one is. */
static bool knows_git_dir(const struct survey *s, const char *path) {
        const struct protected_paths *lists[] = { &s->before->read_only, &s->before->checked };
        size_t len = strlen(path);

        for (size_t i = 0; i < 2; i++)
                for (size_t j = 0; j < lists[i]->count; j++) {
                        const struct protected_path *item = &lists[i]->items[j];

                        if (path_below(item->path, path) && !strchr(item->path + len + 1, '/') &&
                            (item->kind == PROTECTED_CONFIG || item->kind == PROTECTED_HOOKS))
                                return true;
                }
        return false;
}

/* The repository of the entry of a linked worktree, REPOSITORY/worktrees/NAME; NULL: it is none. */
static int repository_of(struct survey *s, const char *path, const char **ret, struct err *err) {
        const char *name = strrchr(path, '/'), *folder = memrchr(path, '/', (size_t)(name - path));

        *ret = NULL;
        if (!folder || folder == path || !str_eq(str_from(folder, (size_t)(name - folder)), STR("/worktrees")))
                return 0;
        *ret = arena_dup(s->arena, str_from(path, (size_t)(folder - path)));
        return *ret ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

int survey_git_dir(struct survey *s, const char *path, const char *base, bool nested, struct err *err) {
        struct git_root root = { .s = s, .path = path, .base = base, .nested = nested };
        FD_AUTO fd = -1;
        const char *repository;
        int again = 1;

        if (protect_find(&s->walked, path))
                return 0;
        if (repository_of(s, path, &repository, err) < 0)
                return -1;
        if (repository && survey_root(s, repository) && survey_git_dir(s, repository, base, nested, err) < 0)
                return -1;
        if (protect_find(&s->walked, path)) /* with its repository */
                return 0;
        for (int tries = 0; tries < 2 && again > 0; tries++) {
                fd_close(TAKE_FD(fd));
                fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (fd >= 0 && faccessat(fd, ".", F_OK, 0) == 0)
                        break;
                if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
                        return 0; /* gone meanwhile */
                if (errno != EACCES)
                        return err_sys(err, "cannot open %s", path);
                again = survey_closed(s, path, err);
        }
        if (again <= 0)
                return again;
        s->includes = 0;
        if (s->before && strcmp(path, base) == 0 && !knows_git_dir(s, path) &&
            !is_plain(&(struct git_root){ s, path, base, true }, fd, path))
                return survey_name(s, fd, path, "HEAD", PROTECTED_NAME, false, err);
        if (walk_git_dir(&root, fd, path, repository != NULL, 0, err) < 0)
                return -1;
        return apply_global(s, base, err);
}
