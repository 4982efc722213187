/*
 * Git directories: how `.git` leads to them, and what is in them. All have the same shape, whether of the workspace, of a
 * repository in it, of a submodule (modules/NAME) or of a linked worktree (worktrees/NAME): the table below, and more of them.
 */
#include "protect/survey_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/tree.h"
#include "protect/git.h"

enum {
        GIT_DIRS_MAX = 256, /* each has mounts of its own */
        FOLDERS_MAX = 2048,
        WHOLE_MAX = 1024, /* of those past it, at a time */
        DEPTH_MAX = 16,
        POINTER_MAX = 8 << 10,
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

const char *protect_git_name(size_t i) {
        return i < sizeof(git_names) / sizeof(*git_names) ? git_names[i].name : NULL;
}

/* A git directory that is walked, and those in it. */
struct git_dir {
        struct survey *s;
        const char *path; /* of the outermost */
        const char *base; /* its work tree, or itself */
        bool nested;      /* in a directory below the workspace: what any command could have made is not covered */
};

static int open_folder(const char *path) {
        return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- pointers ---- */

/* Without the end of its line; empty: there is none. */
static struct str path_in(struct str text, const char *prefix) {
        if (!text.ptr || !str_starts(text, str_z(prefix)))
                return str_from("", 0);
        text = str_skip(text, strlen(prefix));
        while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
                text.len--;
        return str_find(text, '\0') < text.len ? str_from("", 0) : text;
}

const char *survey_read_path(struct survey *s, int fd, const char *name, const char *prefix) {
        struct str text = path_in(survey_read(s, fd, name, POINTER_MAX, FILE_ANY), prefix);

        return text.len ? survey_keep(s, text) : NULL;
}

bool survey_leads_inside(const struct protection *found, const char *workspace, int fd, const char *path) {
        char target[PATH_MAX], real[PATH_MAX];
        struct str text;
        BUF_AUTO file;

        buf_init(&file, POINTER_MAX);
        if (file_read(fd, ".git", ".git", FILE_NO_LINK, &file, NULL) < 0)
                return false;
        text = path_in(buf_str(&file), "gitdir: ");
        if (!text.len ||
            snprintf(target, sizeof(target), "%s/%.*s", text.ptr[0] == '/' ? "" : path, (int)text.len, text.ptr) >=
                    (int)sizeof(target) ||
            !realpath(target, real))
                return false;
        if (path_below(real, workspace))
                return true;
        for (size_t i = 0; i < found->git_write.count; i++)
                if (path_below(real, found->git_write.items[i].path))
                        return true;
        return false;
}

bool survey_is_entry_harmless(int fd, const char *name) {
        struct stat status;
        BUF_AUTO text;

        buf_init(&text, 64);
        if (strcmp(name, "gitdir") == 0) /* only tells git what may be pruned */
                return fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
        return file_read(fd, name, name, FILE_NO_LINK, &text, NULL) == 0 && str_is(buf_str(&text), "../..\n");
}

/* GITDIR/gitdir names the `.git` of this work tree, and the common directory has GITDIR among its worktrees. */
static const char *prove_worktree(struct survey *s, const char *tree, const char *git_dir, int fd, const char *common) {
        const char *back = survey_read_path(s, fd, "gitdir", "");
        struct place named, place, above;

        if (!back)
                return NULL;
        named = survey_resolve(s, git_dir, back);
        place = survey_resolve(s, git_dir, common);
        above = survey_resolve(s, git_dir, "..");
        if (!named.path || strcmp(named.path, survey_join(s, tree, ".git")) != 0 || !place.directory || !above.path)
                return NULL;
        return strcmp(survey_join(s, place.path, "worktrees"), above.path) == 0 ? place.path : NULL;
}

/* A pointer proves nothing, because a command can write one: the git directory has to point back, or its config has to name
 * this work tree. NULL: neither is the case. */
static const char *prove_git_dir(struct survey *s, const char *tree, const char *git_dir) {
        FD_AUTO fd = open_folder(git_dir);
        const char *common, *worktree;
        struct place place;

        if (fd < 0 || !survey_is_git_dir(fd, false))
                return NULL;
        common = survey_read_path(s, fd, "commondir", "");
        if (common)
                return prove_worktree(s, tree, git_dir, fd, common);
        worktree = survey_worktree(s, survey_read(s, fd, "config", SURVEY_FILE_MAX, FILE_ANY));
        if (!worktree || !*worktree)
                return NULL;
        place = survey_resolve(s, git_dir, worktree);
        return place.directory && strcmp(place.path, tree) == 0 ? git_dir : NULL;
}

static void survey_outside(struct survey *s, const char *tree, const char *git_dir) {
        const char *proven = prove_git_dir(s, tree, git_dir);

        if (!proven || strcmp(proven, "/") == 0 || strcmp(proven, s->workspace) == 0 || path_below(s->workspace, proven))
                return;
        if (!path_below(proven, s->workspace)) {
                FD_AUTO fd = open_folder(proven);
                struct protected_path item = { .path = proven, .directory = true };

                if (fd < 0 || !survey_is_git_dir(fd, false))
                        return;
                survey_add(s, &s->found->git_write, item);
        }
        survey_git_dir(s, proven, tree, false);
}

static void survey_pointer(struct survey *s, int fd, const char *path, bool nested) {
        bool covered = !nested || !survey_leads_inside(s->found, s->workspace, fd, path);
        const char *target = survey_read_path(s, fd, ".git", "gitdir: ");
        struct place place;

        survey_name(s, fd, path, ".git", nested ? PROTECTED_POINTER : PROTECTED_NAME, covered);
        if (!target)
                return;
        place = survey_resolve(s, path, target);
        if (!place.directory)
                survey_protect(s, place, PROTECTED_NAME);
        else if (path_below(place.path, s->workspace))
                survey_git_dir(s, place.path, path, nested);
        else if (strcmp(place.path, s->workspace) != 0) /* that would be a bare repository, which is looked for anyway */
                survey_outside(s, path, place.path);
}

static void survey_git_link(struct survey *s, int fd, const char *path, bool nested) {
        struct place place;

        if (s->before)
                survey_name(s, fd, path, ".git", PROTECTED_NAME, true);
        place = survey_resolve(s, path, ".git"); /* notes the link */
        if (place.directory && path_below(place.path, s->workspace))
                survey_git_dir(s, place.path, path, nested);
        else
                survey_protect(s, place, PROTECTED_NAME);
}

void survey_tree(struct survey *s, int fd, const char *path, bool nested) {
        struct protected_path item;
        int got = protect_stat(fd, ".git", &item, s->arena, &s->last);

        if (got < 0) {
                err_context_message(&s->last, "%s", path);
                survey_failed(s);
        } else if (got == 0 && item.link) {
                survey_git_link(s, fd, path, nested);
        } else if (got == 0 && item.directory) {
                survey_git_dir(s, survey_join(s, path, ".git"), path, nested);
        } else if (got == 0) {
                survey_pointer(s, fd, path, nested);
        }
        if (survey_is_git_dir(fd, true))
                survey_git_dir(s, path, path, nested);
}

/* ---- git directories ---- */

bool survey_is_git_dir(int directory, bool bare) {
        if (!path_there(directory, "HEAD"))
                return false;
        if (path_there(directory, "commondir") || (path_there(directory, "objects") && path_there(directory, "refs")))
                return true;
        return !bare && (path_there(directory, "config") || path_there(directory, "objects"));
}

/* The work tree of a submodule, and its pointer: git looks into submodules by itself, so what it points to must not change
 * either. */
static const char *survey_submodule(struct survey *s, const char *git_dir, const char *worktree) {
        struct place place = survey_resolve(s, git_dir, worktree), pointer;

        if (!place.path || !survey_root(s, place.path) || !place.exists)
                return place.path;
        pointer = survey_resolve(s, place.path, ".git");
        if (!pointer.directory)
                survey_protect(s, pointer, PROTECTED_POINTER);
        else if (survey_root(s, pointer.path))
                survey_git_dir(s, pointer.path, place.path, false);
        return place.path;
}

static void survey_config(const struct git_dir *dir, int fd, const char *path, const char *name) {
        struct survey *s = dir->s;
        const char *joined = survey_join(s, path, name);
        const struct protected_path *item = survey_find(s->found, joined),
                                    *was = s->before ? survey_find(s->before, joined) : item;
        struct str text = item && item->content.ptr ? item->content : survey_read(s, fd, name, SURVEY_FILE_MAX, FILE_ANY);
        bool module = strcmp(path, dir->path) != 0;
        const char *worktree = module ? survey_worktree(s, text) : NULL;
        /* what config.worktree of another worktree says is taken for ours: too much rather than too little */
        const char *base = module && strcmp(name, "config") == 0 ? NULL : dir->base;

        if (worktree)
                base = survey_submodule(s, path, worktree);
        survey_settings(s, text, path, base);
        survey_addresses(s, was ? was->content : str_from(NULL, 0), base); /* after a command, those from before */
}

/* A repository that any command could have made is not covered: so that it can be removed and configured. It is looked at
 * afterwards, as a new one is. */
static bool is_plain(struct survey *s, int fd, const char *path) {
        const struct git_repository repository = { path, s->workspace, NULL };
        const struct dirent *entry;
        struct str text;
        DIR *stream;
        bool plain = true;

        if (path_there(fd, "config.worktree") || path_there(fd, "commondir") || path_there(fd, "gitdir"))
                return false;
        text = survey_read(s, fd, "config", SURVEY_FILE_MAX, FILE_ANY);
        if ((!text.ptr && path_there(fd, "config")) || !git_config_is_harmless(STR(""), text, &repository, s->arena, NULL))
                return false;
        if (!path_there(fd, "hooks"))
                return true;
        stream = tree_list(fd, "hooks");
        while (stream && plain && (entry = readdir(stream)))
                plain = entry->d_name[0] == '.' || str_ends(str_z(entry->d_name), STR(".sample"));
        plain = plain && stream;
        if (stream)
                closedir(stream);
        return plain;
}

static void survey_git_name(const struct git_dir *dir, int fd, const char *path, const char *name, enum protected_kind kind,
                            bool covered) {
        struct survey *s = dir->s;
        struct place hooks;

        if (kind == PROTECTED_ENTRY)
                covered = path_there(fd, name) && !survey_is_entry_harmless(fd, name);
        survey_name(s, fd, path, name, kind, covered);
        if (kind == PROTECTED_CONFIG && path_there(fd, name))
                survey_config(dir, fd, path, name);
        if (kind != PROTECTED_HOOKS || !covered || s->before)
                return;
        hooks = survey_resolve(s, path, name);
        if (hooks.directory)
                survey_hooks(s, hooks.path);
}

/* Opens a directory that is to be searched; -1 with ENOENT: there is none, or it is looked after otherwise. */
static int open_searched(struct survey *s, int parent, const char *name, const char *path) {
        for (int tries = 0; tries < 3; tries++) {
                FD_AUTO fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

                if (fd >= 0 && faccessat(fd, ".", F_OK, 0) == 0) /* what can be listed cannot always be searched */
                        return TAKE_FD(fd);
                if (errno != EACCES)
                        return -1;
                if (!survey_opened(s, path)) {
                        errno = ENOENT;
                        return -1;
                }
        }
        errno = EACCES;
        return -1;
}

/* A directory in a git directory. A link where it should be leads git elsewhere. */
static int walk_open(struct survey *s, int parent, const char *path, const char *name, const char **ret_path) {
        int fd = open_searched(s, parent, name, *ret_path = survey_join(s, path, name));

        if (fd < 0 && (errno == ENOTDIR || errno == ELOOP || errno == EACCES))
                survey_name(s, parent, path, name, PROTECTED_NAME, true);
        else if (fd < 0 && errno != ENOENT)
                survey_sys(s, "%s", *ret_path);
        return fd;
}

/* What was protected in a directory before is looked at, however much there is besides. */
static bool holds_known(const struct survey *s, const char *path) {
        for (size_t i = 0; s->before && i < s->before->read_only.count; i++)
                if (path_below(s->before->read_only.items[i].path, path))
                        return true;
        return false;
}

static void walk_git_dir(const struct git_dir *dir, int fd, const char *path, bool entry, unsigned depth);

/* Every directory in this one, which is `modules`, `worktrees` or a directory of the former. */
static void walk_entries(const struct git_dir *dir, int fd, const char *path, bool entries, unsigned depth) {
        static const char too_much[] = "too much in it to protect one by one: read-only while commands run";
        struct survey *s = dir->s;
        DIR *stream = tree_list(fd, ".");
        const struct dirent *entry;

        if (!stream)
                survey_sys(s, "cannot list %s", path);
        while (stream && !s->failed && (entry = tree_next(stream))) {
                FD_AUTO inner = -1;
                const char *inner_path;

                if (entry->d_type == DT_REG)
                        continue;
                inner = walk_open(s, fd, path, entry->d_name, &inner_path);
                if (inner < 0)
                        continue;
                if (++s->folders > FOLDERS_MAX && !holds_known(s, path)) {
                        survey_whole(s, path, too_much);
                        break;
                }
                if (depth < DEPTH_MAX && (s->folders <= FOLDERS_MAX || holds_known(s, inner_path))) {
                        if (entries || survey_is_git_dir(inner, false))
                                walk_git_dir(dir, inner, inner_path, entries, depth + 1);
                        else
                                walk_entries(dir, inner, inner_path, false, depth + 1);
                } else if (s->folders <= FOLDERS_MAX + WHOLE_MAX) {
                        survey_whole(s, inner_path, too_much);
                } else {
                        survey_error(s, ERR_TOO_COMPLEX, "more than %d directories for git in %s", FOLDERS_MAX, path);
                        break;
                }
        }
        if (stream)
                closedir(stream);
}

static void walk_folder(const struct git_dir *dir, int git_dir, const char *path, const char *name, unsigned depth) {
        bool entries = strcmp(name, "worktrees") == 0;
        const char *joined;
        FD_AUTO fd = walk_open(dir->s, git_dir, path, name, &joined);

        if (fd < 0)
                return;
        if (!dir->nested && !entries)
                survey_anchor(dir->s, joined);
        walk_entries(dir, fd, joined, entries, depth);
}

static void walk_git_dir(const struct git_dir *dir, int fd, const char *path, bool entry, unsigned depth) {
        struct survey *s = dir->s;
        bool covered = !dir->nested || !is_plain(s, fd, path);
        const char *folder_path;
        FD_AUTO folder = -1;

        if (covered && !s->before && s->walked.count >= GIT_DIRS_MAX) {
                survey_whole(s, path, "too many git directories: this one is read-only while commands run");
                return;
        }
        if (!survey_add(s, &s->walked, (struct protected_path){ .path = path }))
                return;
        /* of a nested one what is covered is anchored, so that a clone which has nothing of that kind can be removed */
        if (!dir->nested && !entry)
                survey_anchor(s, path);
        for (size_t i = 0; i < sizeof(git_names) / sizeof(*git_names); i++)
                survey_git_name(dir, fd, path, git_names[i].name, entry ? git_names[i].of_entry : git_names[i].kind, covered);
        folder = walk_open(s, fd, path, "rebase-merge", &folder_path);
        if (folder >= 0)
                survey_name(s, folder, folder_path, "git-rebase-todo", PROTECTED_TODO, false);
        if (!entry)
                walk_folder(dir, fd, path, "worktrees", depth);
        walk_folder(dir, fd, path, "modules", depth); /* a worktree has its own submodules */
}

/* A directory of the user's may have been made to look like a bare repository: its `hooks` and `config` are not to be touched
 * for that, but what makes it one is. */
static bool was_git_dir(struct survey *s, const char *path) {
        return survey_find(s->before, survey_join(s, path, "config")) ||
               survey_find(s->before, survey_join(s, path, "config.worktree")) ||
               survey_find(s->before, survey_join(s, path, "hooks"));
}

/* The repository of the entry of a linked worktree, REPOSITORY/worktrees/NAME; NULL: it is none. */
static const char *repository_of(struct survey *s, const char *path) {
        const char *name = strrchr(path, '/'), *folder = name ? memrchr(path, '/', (size_t)(name - path)) : NULL;

        if (!folder || folder == path || !str_eq(str_from(folder, (size_t)(name - folder)), STR("/worktrees")))
                return NULL;
        return survey_keep(s, str_from(path, (size_t)(folder - path)));
}

void survey_git_dir(struct survey *s, const char *path, const char *base, bool nested) {
        struct git_dir dir = { .s = s, .path = path, .base = base, .nested = nested };
        const char *repository = protect_find(&s->walked, path) ? NULL : repository_of(s, path);
        FD_AUTO fd = -1;

        if (repository && survey_root(s, repository))
                survey_git_dir(s, repository, base, nested);
        if (s->failed || protect_find(&s->walked, path)) /* perhaps with its repository */
                return;
        fd = open_searched(s, AT_FDCWD, path, path);
        if (fd < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP) /* gone meanwhile */
                survey_sys(s, "cannot open %s", path);
        if (fd < 0)
                return;
        s->includes = 0;
        if (s->before && strcmp(path, base) == 0 && !was_git_dir(s, path) && !is_plain(s, fd, path)) {
                survey_name(s, fd, path, "HEAD", PROTECTED_NAME, false);
                return;
        }
        walk_git_dir(&dir, fd, path, repository != NULL, 0);
        survey_apply_global(s, base);
}
