#include "run/sweep_inside.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "policy/files.h"
#include "protect/nested.h"

enum { POINTER_MAX = 8 << 10 };

struct sweep_swept {
        const char *path;
        struct sweep_swept *next;
};

/* ---- pointers ---- */

/* Where a pointer leads to, as a real path; false when that is nowhere. */
static bool follow(int fd, const char *path, char ret[static PATH_MAX]) {
        char target[PATH_MAX];
        struct str text;
        BUF_AUTO file;

        buf_init(&file, POINTER_MAX);
        if (file_read(fd, ".git", ".git", FILE_NO_LINK, &file, NULL) < 0 || !str_starts(buf_str(&file), STR("gitdir: ")))
                return false;
        text = str_skip(buf_str(&file), 8);
        while (text.len && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
                text.len--;
        if (text.len == 0 || str_find(text, '\0') < text.len)
                return false;
        if (text.ptr[0] == '/')
                path = "";
        return (size_t)snprintf(target, sizeof(target), "%s/%.*s", path, (int)text.len, text.ptr) < sizeof(target) &&
               realpath(target, ret);
}

/* Cuts the path to the one that holds it; false when that does not end in `name`. */
static bool above(char *path, const char *name) {
        char *slash = strrchr(path, '/');

        if (!slash || slash == path)
                return false;
        *slash = '\0';
        slash = strrchr(path, '/');
        return !name || (slash && strcmp(slash + 1, name) == 0);
}

/* Of the entry of a worktree the repository decides what git runs. */
static void find_repository(char git_dir[static PATH_MAX]) {
        char path[PATH_MAX];
        FD_AUTO fd = -1;

        memcpy(path, git_dir, PATH_MAX);
        if (!above(path, "worktrees"))
                return;
        *strrchr(path, '/') = '\0';
        fd = path[0] ? open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (fd >= 0 && protect_is_git_dir(fd, false))
                memcpy(git_dir, path, PATH_MAX);
}

/* False: once is enough, however many pointers there are. */
static bool is_first(struct sweep *s, const char *git_dir) {
        struct sweep_swept *swept;

        if (protect_find(&s->before->git_dirs, git_dir)) /* are all swept anyway */
                return false;
        for (swept = s->swept; swept; swept = swept->next)
                if (strcmp(swept->path, git_dir) == 0)
                        return false;
        swept = arena_alloc(s->arena, sizeof(*swept));
        if (!swept) {
                sweep_no_memory(s, git_dir);
                return true;
        }
        *swept = (struct sweep_swept){ arena_dup(s->arena, str_z(git_dir)), s->swept };
        if (swept->path)
                s->swept = swept;
        return true;
}

/*
 * `git worktree add` and `git submodule add` make pointers. One stays if what it leads to is a git directory that only the
 * command can have filled, and that is swept. In others, of the host, git would run what is meant for other files.
 */
void sweep_pointer(struct sweep *s, int fd, const char *path) {
        struct protected_path is;
        char git_dir[PATH_MAX];
        FD_AUTO target = -1;
        const char *kept;
        bool is_link;

        if (sweep_look(s, fd, path, ".git", &is, &is_link) != 0 || is.born > s->until)
                return;
        if (follow(fd, path, git_dir) && sweep_reachable(s, git_dir))
                target = sweep_open_path(s, git_dir, strlen(git_dir));
        if (target < 0 || !protect_is_git_dir(target, false)) {
                sweep_name(s, fd, path, ".git");
                return;
        }
        find_repository(git_dir);
        if (!is_first(s, git_dir))
                return;
        fd_close(TAKE_FD(target));
        target = sweep_open_path(s, git_dir, strlen(git_dir));
        kept = arena_dup(s->arena, str_z(git_dir));
        if (target < 0 || !kept || !sweep_reachable(s, git_dir))
                sweep_name(s, fd, path, ".git");
        else
                sweep_git_dir(s, target, kept);
}

/* ---- finding ---- */

static int found(void *context, int fd, const char *path, enum nested_kind kind, struct err *err) {
        struct sweep *s = context;
        const char *git_dir = kind == NESTED_BARE ? path : sweep_join(s, path, ".git");

        (void)err;
        if (!git_dir || protect_find(&s->before->git_dirs, git_dir))
                return 0;
        if (kind == NESTED_BARE)
                sweep_git_dir(s, fd, path);
        else
                sweep_dot_git(s, fd, path);
        return 0;
}

/* An index that could be read before and now cannot, in a repository with more in it than can be looked at: it may lead git
 * to what was not found. Without it git works, and `git reset` makes it anew. */
static int unknown(void *context, int git_dir, const char *path, struct err *err) {
        struct sweep *s = context;
        const char *dot_git = sweep_join(s, path, ".git"), *index;
        char real[PATH_MAX], link[64];
        struct protected_path is;
        ssize_t len;
        bool is_link;

        (void)err;
        if (!dot_git || protect_find(&s->before->unknown, dot_git))
                return 0;
        snprintf(link, sizeof(link), "/proc/self/fd/%d", git_dir);
        len = readlink(link, real, sizeof(real) - 1);
        if (len <= 0)
                return 0;
        real[len] = '\0';
        if (!sweep_reachable(s, real) || sweep_look(s, git_dir, real, "index", &is, &is_link) != 0 || is.born > s->until)
                return 0;
        index = sweep_join(s, real, "index");
        if (index)
                sweep_aside(s, git_dir, index, "index", "cannot be understood");
        return 0;
}

void sweep_nested(struct sweep *s, int workspace) {
        const char *path = s->before->workspace.path;
        bool known = !protect_find(&s->before->unknown, path), all;
        const struct nested_visitor visitor = {
                .context = s,
                .entries = known ? NESTED_ENTRIES_DEEP : NESTED_ENTRIES, /* what is more, the command made */
                .wary = true,
                .found = found,
                .unknown = unknown,
        };
        struct err why = { 0 };

        if (nested_find(workspace, path, &visitor, s->arena, &all, &why) < 0)
                sweep_failed(s, &why, path);
}
