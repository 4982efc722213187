#include "protect/survey.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

/* What git runs, or what tells it what to run, in a git directory and in the entry of a worktree. Attributes and alternates
 * are not among them: without a config that names a program they run nothing. */
static const char *const git_names[] = { "commondir", "config", "config.worktree", "gitdir", "hooks", NULL };
static const char *const worktree_names[] = { "commondir", "config.worktree", "gitdir", NULL };

struct walk {
        const struct protect_visitor *visitor;
        struct arena *arena;
        unsigned count;
};

static bool there(int directory, const char *name) {
        struct protected_path item;
        bool is_link;

        return protect_stat(directory, name, &item, &is_link, NULL) == 0;
}

bool protect_is_git_dir(int directory, bool top) {
        if (!there(directory, "HEAD"))
                return false;
        if (there(directory, "commondir") || (there(directory, "objects") && there(directory, "refs")))
                return true;
        return !top && (there(directory, "config") || there(directory, "objects"));
}

static int walk_git_dir(struct walk *w, int fd, const char *path, enum protect_kind kind, unsigned depth, struct err *err);

/* 0 and -1 as fd: leave it alone. */
static int walk_open(struct walk *w, int parent, const char *path, const char *name, int *ret_fd, struct err *err) {
        struct protected_path item;
        bool is_link = false;
        int fd, again = 1;

        *ret_fd = -1;
        for (int tries = 0; tries < 2; tries++) {
                fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (fd >= 0 && faccessat(fd, ".", F_OK, 0) == 0) { /* what can be listed cannot always be searched */
                        *ret_fd = fd;
                        return 0;
                }
                fd_close(fd);
                if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
                        break;
                again = w->visitor->locked(w->visitor->context, parent, path, name, err);
                if (again <= 0)
                        return again;
        }
        if (protect_stat(parent, name, &item, &is_link, NULL) == 0 && is_link)
                return w->visitor->name(w->visitor->context, parent, path, name, err);
        return 0;
}

static int walk_entry(struct walk *w, int parent, const char *path, const char *name, bool worktrees, unsigned depth,
                      struct err *err);

/* Every directory in this one. */
static int walk_entries(struct walk *w, int fd, const char *path, bool worktrees, unsigned depth, struct err *err) {
        int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *stream = copy < 0 ? NULL : fdopendir(copy);
        const struct dirent *entry;
        int failed = 0;

        if (!stream) {
                fd_close(copy);
                return err_sys(err, "cannot list %s", path);
        }
        while (!failed && (entry = readdir(stream))) {
                const char *name = entry->d_name;

                if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                        continue;
                if (entry->d_type == DT_DIR || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN)
                        failed = walk_entry(w, fd, path, name, worktrees, depth, err);
        }
        closedir(stream);
        return failed;
}

static int walk_inside(struct walk *w, int fd, const char *path, bool worktrees, unsigned depth, struct err *err) {
        int said;

        if (++w->count > w->visitor->max)
                return err_set(err, ERR_TOO_COMPLEX, "more than %u directories for git in %s", w->visitor->max, path);
        if (worktrees)
                return walk_git_dir(w, fd, path, PROTECT_WORKTREE, depth, err);
        if (protect_is_git_dir(fd, false))
                return walk_git_dir(w, fd, path, PROTECT_GIT_DIR, depth, err);
        said = w->visitor->directory(w->visitor->context, fd, path, PROTECT_FOLDER, err);
        return said ? (said < 0 ? -1 : 0) : walk_entries(w, fd, path, false, depth, err);
}

static char *join(struct arena *arena, const char *path, const char *name) {
        size_t path_len = strlen(path), name_len = strlen(name);
        char *joined = arena_bytes(arena, path_len + name_len + 2);

        if (!joined)
                return NULL;
        memcpy(joined, path, path_len);
        joined[path_len] = '/';
        memcpy(joined + path_len + 1, name, name_len + 1);
        return joined;
}

static int walk_entry(struct walk *w, int parent, const char *path, const char *name, bool worktrees, unsigned depth,
                      struct err *err) {
        FD_AUTO fd = -1;
        const char *joined;

        if (walk_open(w, parent, path, name, &fd, err) < 0)
                return -1;
        if (fd < 0)
                return 0;
        if (depth >= w->visitor->depth)
                return w->visitor->too_deep(w->visitor->context, parent, path, name, err);
        joined = join(w->arena, path, name);
        if (!joined)
                return err_set(err, ERR_MEMORY, "out of memory");
        return walk_inside(w, fd, joined, worktrees, depth + 1, err);
}

/* `modules` or `worktrees` of a git directory. */
static int walk_folder(struct walk *w, int git_dir, const char *path, const char *name, unsigned depth, struct err *err) {
        FD_AUTO fd = -1;
        const char *joined;
        int said;

        if (walk_open(w, git_dir, path, name, &fd, err) < 0)
                return -1;
        if (fd < 0)
                return 0;
        joined = join(w->arena, path, name);
        if (!joined)
                return err_set(err, ERR_MEMORY, "out of memory");
        said = w->visitor->directory(w->visitor->context, fd, joined, PROTECT_FOLDER, err);
        if (said)
                return said < 0 ? -1 : 0;
        return walk_entries(w, fd, joined, name[0] == 'w', depth, err);
}

static int walk_git_dir(struct walk *w, int fd, const char *path, enum protect_kind kind, unsigned depth, struct err *err) {
        int said = w->visitor->directory(w->visitor->context, fd, path, kind, err);

        if (said)
                return said < 0 ? -1 : 0;
        for (const char *const *name = kind == PROTECT_WORKTREE ? worktree_names : git_names; *name; name++)
                if (w->visitor->name(w->visitor->context, fd, path, *name, err) < 0)
                        return -1;
        if (kind != PROTECT_WORKTREE && walk_folder(w, fd, path, "worktrees", depth, err) < 0)
                return -1;
        return walk_folder(w, fd, path, "modules", depth, err); /* a worktree has its own submodules */
}

int protect_walk(int git_dir, const char *path, const struct protect_visitor *visitor, struct arena *arena, struct err *err) {
        struct walk w = { .visitor = visitor, .arena = arena };

        return walk_git_dir(&w, git_dir, path, PROTECT_GIT_DIR, 0, err);
}
