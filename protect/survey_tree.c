#include "protect/survey_inside.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "policy/files.h"

enum { POINTER_MAX = 8 << 10 };

/* A directory with a `.git`: the workspace, or a repository in it. */
struct root {
        struct survey *s;
        int fd;
        const char *path;
        bool nested;
};

struct str survey_path_in(struct str text, const char *prefix) {
        if (!text.ptr || !str_starts(text, str_z(prefix)))
                return str_from("", 0);
        text = str_skip(text, strlen(prefix));
        while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
                text.len--;
        return text;
}

/* A file that holds one path: without the end of its line. NULL when there is none, or it holds more than text. */
static int read_path(struct survey *s, int fd, const char *name, const char *prefix, const char **ret, struct err *err) {
        struct str text;

        *ret = NULL;
        if (survey_read(s, fd, name, POINTER_MAX, &text, err) < 0)
                return -1;
        text = survey_path_in(text, prefix);
        if (text.len == 0 || str_find(text, '\0') < text.len)
                return 0;
        *ret = arena_dup(s->arena, text);
        return *ret ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

bool survey_leads_inside(const struct protection *found, const char *workspace, int fd, const char *path) {
        char target[PATH_MAX], real[PATH_MAX];
        struct str text;
        BUF_AUTO file;

        buf_init(&file, POINTER_MAX);
        if (file_read(fd, ".git", ".git", FILE_NO_LINK, &file, NULL) < 0)
                return false;
        text = survey_path_in(buf_str(&file), "gitdir: ");
        if (!text.len || str_find(text, '\0') < text.len ||
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

/* ---- .git ---- */

/* GITDIR/gitdir names this `.git`, and the common directory has GITDIR among its worktrees. */
static int prove_worktree(const struct root *root, const char *git_dir, int fd, const char *common, const char **ret,
                          struct err *err) {
        struct survey *s = root->s;
        const char *back, *dot_git, *worktrees;
        struct place place, above, named;

        if (read_path(s, fd, "gitdir", "", &back, err) < 0 || survey_join(s, root->path, ".git", &dot_git, err) < 0)
                return -1;
        if (!back)
                return 0;
        if (survey_resolve(s, git_dir, back, &named, err) < 0 || survey_resolve(s, git_dir, common, &place, err) < 0 ||
            survey_resolve(s, git_dir, "..", &above, err) < 0)
                return -1;
        if (!named.path || strcmp(named.path, dot_git) != 0 || !place.path || !place.directory || !above.path)
                return 0;
        if (survey_join(s, place.path, "worktrees", &worktrees, err) < 0)
                return -1;
        if (strcmp(worktrees, above.path) == 0)
                *ret = place.path;
        return 0;
}

/* GITDIR/config says that its work tree is this one. */
static int prove_submodule(const struct root *root, const char *git_dir, int fd, const char **ret, struct err *err) {
        struct survey *s = root->s;
        const char *worktree;
        struct place place;
        struct str text;

        if (survey_read(s, fd, "config", SURVEY_CONFIG_MAX, &text, err) < 0)
                return -1;
        if (!text.ptr)
                return 0;
        if (survey_worktree(s, text, &worktree, err) < 0)
                return -1;
        if (!worktree || !*worktree)
                return 0;
        if (survey_resolve(s, git_dir, worktree, &place, err) < 0)
                return -1;
        if (place.path && place.directory && strcmp(place.path, root->path) == 0)
                *ret = git_dir;
        return 0;
}

/* A pointer proves nothing, as anybody can write one: the git directory has to point back. NULL: it does not. */
static int prove_git_dir(const struct root *root, const char *git_dir, const char **ret, struct err *err) {
        FD_AUTO fd = open(git_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        const char *common;

        *ret = NULL;
        if (fd < 0 || !survey_is_git_dir(fd, false))
                return 0;
        if (read_path(root->s, fd, "commondir", "", &common, err) < 0)
                return -1;
        return common ? prove_worktree(root, git_dir, fd, common, ret, err) : prove_submodule(root, git_dir, fd, ret, err);
}

static int survey_outside(const struct root *root, const char *git_dir, struct err *err) {
        struct survey *s = root->s;
        const char *proven;

        if (prove_git_dir(root, git_dir, &proven, err) < 0)
                return -1;
        if (!proven || strcmp(proven, "/") == 0 || strcmp(proven, s->workspace) == 0 || path_below(s->workspace, proven))
                return 0;
        if (!path_below(proven, s->workspace)) {
                FD_AUTO fd = open(proven, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                struct protected_path item = { .path = proven, .directory = true };

                if (fd < 0 || !survey_is_git_dir(fd, false))
                        return 0;
                if (survey_add(s, &s->found->git_write, item, err) < 0)
                        return -1;
        }
        return survey_git_dir(s, proven, root->path, false, err);
}

static int survey_pointer(const struct root *root, struct err *err) {
        struct survey *s = root->s;
        struct place place;
        const char *target;

        bool covered = !root->nested || !survey_leads_inside(s->found, s->workspace, root->fd, root->path);

        if (survey_name(s, root->fd, root->path, ".git", root->nested ? PROTECTED_POINTER : PROTECTED_NAME, covered, err) < 0 ||
            read_path(s, root->fd, ".git", "gitdir: ", &target, err) < 0)
                return -1;
        if (!target)
                return 0;
        if (survey_resolve(s, root->path, target, &place, err) < 0)
                return -1;
        if (!place.path || !place.directory)
                return survey_protect(s, &place, PROTECTED_NAME, err);
        if (strcmp(place.path, s->workspace) == 0)
                return 0; /* a bare repository, which is looked for anyway */
        return path_below(place.path, s->workspace) ? survey_git_dir(s, place.path, root->path, root->nested, err)
                                                    : survey_outside(root, place.path, err);
}

static int survey_git_link(const struct root *root, struct err *err) {
        struct survey *s = root->s;
        struct place place;

        if (survey_resolve(s, root->path, ".git", &place, err) < 0) /* notes the link */
                return -1;
        if (place.path && place.directory && path_below(place.path, s->workspace))
                return survey_git_dir(s, place.path, root->path, root->nested, err);
        return survey_protect(s, &place, PROTECTED_NAME, err);
}

static int survey_dot_git(const struct root *root, struct err *err) {
        struct protected_path item;
        const char *path;
        int got = protect_stat(root->fd, ".git", &item, root->s->arena, err);

        if (got != 0)
                return got < 0 ? err_context(err, "%s", root->path) : 0;
        if (item.link && root->s->before && survey_name(root->s, root->fd, root->path, ".git", PROTECTED_NAME, true, err) < 0)
                return -1;
        if (item.link)
                return survey_git_link(root, err);
        if (!item.directory)
                return survey_pointer(root, err);
        if (survey_join(root->s, root->path, ".git", &path, err) < 0)
                return -1;
        return survey_git_dir(root->s, path, root->path, root->nested, err);
}

/* ---- the whole ---- */

int survey_nested(struct survey *s, int fd, const char *path, bool bare, struct err *err) {
        struct root root = { .s = s, .fd = fd, .path = path, .nested = true };

        return bare ? survey_git_dir(s, path, path, true, err) : survey_dot_git(&root, err);
}

int survey_git(struct survey *s, struct err *err) {
        struct root top = { .s = s, .fd = s->workspace_fd, .path = s->workspace };

        if (survey_dot_git(&top, err) < 0)
                return -1;
        if (survey_is_git_dir(s->workspace_fd, true) && survey_git_dir(s, s->workspace, s->workspace, false, err) < 0)
                return -1;
        return survey_find_nested(s, err);
}
