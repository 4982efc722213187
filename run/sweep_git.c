#include "run/sweep_inside.h"

#include <fcntl.h>
#include <string.h>

#include "base/fd.h"
#include "protect/remove.h"

enum {
        DIRECTORIES_MAX = 1 << 16,
        DEPTH_MAX = 24, /* deeper than a survey goes, so what is there was not there before */
};

/*
 * A new linked worktree stays, as it shares the config and the hooks of its repository. One that shares those of another, or
 * none so that git would take its own, is only made to look like one.
 */
static void sweep_worktree(struct sweep *s, int fd, const char *path) {
        sweep_name(s, fd, path, "config");
        sweep_name(s, fd, path, "hooks");
        if (!sweep_has_content(fd, "commondir", STR("../..\n")))
                sweep_name(s, fd, path, "commondir");
        s->worktree = path;
}

static int visit_directory(void *context, int fd, const char *path, enum protect_kind kind, struct err *err) {
        struct sweep *s = context;

        (void)err;
        if (kind == PROTECT_WORKTREE && !protect_find(&s->before->anchors, path))
                sweep_worktree(s, fd, path);
        return 0;
}

static int visit_name(void *context, int fd, const char *path, const char *name, struct err *err) {
        struct sweep *s = context;

        (void)err;
        if (path != s->worktree || (strcmp(name, "commondir") != 0 && strcmp(name, "gitdir") != 0))
                sweep_name(s, fd, path, name);
        return 0;
}

static int visit_locked(void *context, int fd, const char *path, const char *name, struct err *err) {
        struct sweep *s = context;
        struct err why = { 0 };

        (void)err;
        if ((remove_unlock(fd, name, &why) == 0) || (remove_unlock(fd, ".", NULL) == 0 && remove_unlock(fd, name, &why) == 0))
                return 1;
        sweep_failed(s, &why, path);
        return 0;
}

void sweep_git_dir(struct sweep *s, int fd, const char *path) {
        const struct protect_visitor visitor = {
                .context = s,
                .max = DIRECTORIES_MAX,
                .depth = DEPTH_MAX,
                .directory = visit_directory,
                .name = visit_name,
                .too_deep = visit_name,
                .locked = visit_locked,
        };
        struct err why = { 0 };

        if (protect_walk(fd, path, &visitor, s->arena, &why) < 0)
                sweep_failed(s, &why, path);
}

/* A directory was made by `git init`. */
void sweep_dot_git(struct sweep *s, int fd, const char *path) {
        FD_AUTO git_dir = -1;
        struct protected_path is;
        const char *joined;
        bool is_link;

        if (sweep_look(s, fd, path, ".git", &is, &is_link) != 0)
                return;
        joined = sweep_join(s, path, ".git");
        if (!joined || protect_find(&s->before->read_only, joined))
                return;
        if (!is.directory) {
                if (is_link || strcmp(path, s->before->workspace.path) == 0)
                        sweep_name(s, fd, path, ".git");
                else
                        sweep_pointer(s, fd, path);
                return;
        }
        git_dir = openat(fd, ".git", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (git_dir >= 0)
                sweep_git_dir(s, git_dir, joined);
}

void sweep_git_dirs(struct sweep *s, const char *dot_git) {
        for (size_t i = 0; i < s->before->git_dirs.count; i++) {
                const char *path = s->before->git_dirs.items[i].path;
                FD_AUTO fd = -1;

                if (strcmp(path, s->before->workspace.path) == 0 || (dot_git && strcmp(path, dot_git) == 0))
                        continue;
                fd = sweep_open_path(s, path, strlen(path));
                if (fd >= 0)
                        sweep_git_dir(s, fd, path);
        }
}
