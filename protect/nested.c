/*
 * Where the repositories in a workspace are, besides the one at its top. Two ways lead to them: the gitlinks in the index of
 * a repository, at any depth, since git goes there by itself; and a look around, a few directories deep, for what a person
 * enters. Only reads, goes through no symbolic link, and costs no more than it is allowed to.
 */
#include "protect/nested_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "policy/files.h"
#include "protect/git_config.h"
#include "protect/git_index.h"

enum {
        TREES_MAX = 4096,
        LINKS_MAX = 4096,
        ENTRIES = 1 << 12, /* names in directories that are looked at */
        ENTRIES_DEEP = 1 << 16,
        SCRATCH_MAX = 64 << 20,
        INDEX_MAX = 64 << 20,
        CONFIG_MAX = 1 << 20,
        POINTER_MAX = 8 << 10,
};

/* ---- paths ---- */

/* The kernel sees to it that there is no link on the way, also when somebody makes one just now. */
int finder_open(const struct finder *f, int from, const char *path, int flags) {
        struct open_how how = { .flags = (unsigned)flags | O_DIRECTORY | O_CLOEXEC,
                                .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
        int fd = (int)syscall(SYS_openat2, from < 0 ? f->s->workspace_fd : from, *path ? path : ".", &how, sizeof(how));

        if (fd < 0 && (errno == ENOSYS || errno == EPERM)) /* an old kernel, or a filter that does not know the call */
                fd = openat(from < 0 ? f->s->workspace_fd : from, *path ? path : ".",
                            flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return fd;
}

const char *finder_join(struct arena *arena, const char *path, struct str name) {
        size_t len = strlen(path), slash = len > 0 && path[len - 1] != '/';
        char *joined = len + slash + name.len < PATH_MAX ? arena_bytes(arena, len + slash + name.len + 1) : NULL;

        if (!joined)
                return NULL;
        memcpy(joined, path, len);
        memcpy(joined + len, "/", slash);
        memcpy(joined + len + slash, name.ptr, name.len);
        joined[len + slash + name.len] = '\0';
        return joined;
}

bool finder_sees(int fd, const char *path) {
        struct stat status;

        return fstatat(fd, path, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0;
}

int finder_add(struct finder *f, const char *path, bool bare, struct err *err) {
        for (size_t i = 0; i < f->count; i++)
                if (f->trees[i].bare == bare && strcmp(f->trees[i].path, path) == 0)
                        return 0;
        if (f->count >= TREES_MAX) {
                f->s->found->unseen = true;
                return 0;
        }
        if (f->count == f->room) {
                size_t room = f->room ? f->room * 2 : 8;
                struct tree *trees = arena_alloc(&f->scratch, room * sizeof(*trees));

                if (!trees)
                        return err_set(err, ERR_MEMORY, "out of memory");
                if (f->count)
                        memcpy(trees, f->trees, f->count * sizeof(*trees));
                f->trees = trees;
                f->room = room;
        }
        f->trees[f->count++] = (struct tree){ path, bare };
        return 0;
}

/* ---- indexes ---- */

/* A file with one path; false when it is none. */
static bool read_path(int fd, const char *name, const char *prefix, char ret[static PATH_MAX]) {
        BUF_AUTO text;
        struct str path;

        buf_init(&text, POINTER_MAX);
        if (file_read(fd, name, name, FILE_ANY, &text, NULL) < 0)
                return false;
        path = survey_path_in(buf_str(&text), prefix);
        if (path.len == 0 || path.len >= PATH_MAX)
                return false;
        memcpy(ret, path.ptr, path.len);
        ret[path.len] = '\0';
        return true;
}

/* Wherever `.git` leads to, as git would follow it: it is only read. */
static int open_git_dir(int tree) {
        char target[PATH_MAX];
        int fd = openat(tree, ".git", O_PATH | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0 && errno == ENOTDIR && read_path(tree, ".git", "gitdir: ", target))
                fd = openat(tree, target, O_PATH | O_DIRECTORY | O_CLOEXEC);
        return fd;
}

static int find_format(void *context, const struct git_setting *setting, struct err *err) {
        unsigned *size = context;

        (void)err;
        if (str_is(setting->section, "extensions") && str_is(setting->name, "objectformat"))
                *size = str_is(setting->value, "sha256") ? GIT_INDEX_SHA256 : GIT_INDEX_SHA1;
        return 0;
}

static unsigned id_size(struct finder *f, int git_dir) {
        FD_AUTO common = -1;
        unsigned size = GIT_INDEX_SHA1;
        char target[PATH_MAX];
        BUF_AUTO text;

        buf_init(&text, CONFIG_MAX);
        if (finder_sees(git_dir, "commondir") && read_path(git_dir, "commondir", "", target))
                common = openat(git_dir, target, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (file_read(common >= 0 ? common : git_dir, "config", "config", FILE_ANY, &text, NULL) == 0)
                git_config_read(buf_str(&text), &f->scratch, find_format, &size, NULL);
        return size;
}

/* Not mapped: a file that somebody cuts off while we read it would kill us. Empty when there is none; false: too long. */
static bool read_index(int git_dir, char **ret, size_t *ret_len) {
        FD_AUTO fd = openat(git_dir, "index", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        struct stat status;
        size_t len = 0;
        char *bytes;

        *ret = NULL;
        *ret_len = 0;
        if (fd < 0)
                return errno == ENOENT;
        if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size > INDEX_MAX)
                return false;
        bytes = malloc((size_t)status.st_size + 1);
        for (ssize_t got = 1; bytes && got > 0 && len<(size_t)status.st_size; len += got> 0 ? (size_t)got : 0)
                got = read(fd, bytes + len, (size_t)status.st_size - len);
        *ret = bytes;
        *ret_len = len;
        return bytes != NULL;
}

struct links {
        struct finder *f;
        const struct tree *tree;
        int fd;
};

static int show_link(void *context, struct str name, struct err *err) {
        struct links *links = context;
        struct arena_mark mark = arena_mark(&links->f->scratch);
        const char *path = finder_join(&links->f->scratch, links->tree->path, name);
        const char *below = path ? path + strlen(path) - name.len : NULL;
        FD_AUTO fd = below && ++links->f->links <= LINKS_MAX ? finder_open(links->f, links->fd, below, O_PATH) : -1;

        if (fd >= 0 && finder_sees(fd, ".git"))
                return finder_add(links->f, path, false, err);
        arena_rewind(&links->f->scratch, mark);
        return 0;
}

/* The index cannot be understood, so all below its repository is looked at. If that is too much, the index may lead git to what
 * was not found. */
static int look_deep(struct finder *f, const struct tree *tree, int git_dir, struct err *err) {
        struct survey *s = f->s;
        char link[64], real[PATH_MAX];
        ssize_t len;
        bool all;

        if (finder_look_around(f, tree->path, true, &f->deep_left, &all, err) < 0)
                return -1;
        if (all)
                return 0;
        snprintf(link, sizeof(link), "/proc/self/fd/%d", git_dir);
        len = readlink(link, real, sizeof(real) - 1);
        if (len <= 0)
                return err_sys(err, "a git directory of %s", s->workspace);
        real[len] = '\0';
        if (!survey_root(s, real) && strcmp(real, s->workspace) != 0)
                return 0;
        return survey_name(s, git_dir, arena_dup(s->arena, str_z(real)), "index", PROTECTED_INDEX, false, err);
}

static int find_links(struct finder *f, const struct tree *tree, int fd, struct err *err) {
        struct links links = { f, tree, fd };
        FD_AUTO git_dir = open_git_dir(fd);
        char *bytes = NULL;
        size_t len = 0;
        bool known;
        int failed = 0;

        if (git_dir < 0)
                return 0;
        known = read_index(git_dir, &bytes, &len);
        if (known && bytes)
                failed = git_index_read(str_from(bytes, len), id_size(f, git_dir), show_link, &links, &known, err);
        free(bytes);
        if (failed || (known && f->links <= LINKS_MAX))
                return failed;
        return look_deep(f, tree, git_dir, err);
}

/* ---- the whole ---- */

static int find_in(struct finder *f, struct tree tree, struct err *err) {
        const char *top = f->s->workspace;
        FD_AUTO fd = finder_open(f, -1, tree.path, O_PATH);
        const char *path = *tree.path ? finder_join(f->s->arena, top, str_z(tree.path)) : top;

        if (fd < 0) {
                if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == EACCES || errno == EXDEV)
                        return 0; /* gone meanwhile; what is closed was told when it was found */
                return err_sys(err, "%s/%s", top, tree.path);
        }
        if (*tree.path && !path)
                return strlen(top) + strlen(tree.path) + 1 >= PATH_MAX ? 0 : err_set(err, ERR_MEMORY, "out of memory");
        if (*tree.path && survey_nested(f->s, fd, path, tree.bare, err) < 0)
                return -1;
        return tree.bare ? 0 : find_links(f, &tree, fd, err);
}

int survey_find_nested(struct survey *s, struct err *err) {
        struct finder f = { .s = s, .deep_left = ENTRIES_DEEP };
        /* what is more than before, a command made */
        unsigned left = s->before && !s->before->unseen ? ENTRIES_DEEP : ENTRIES;
        bool all = true;
        int failed;

        arena_init(&f.scratch, SCRATCH_MAX);
        failed = finder_add(&f, "", false, err);
        if (!failed)
                failed = finder_look_around(&f, "", false, &left, &all, err);
        for (size_t i = 0; !failed && i < f.count; i++)
                if (find_in(&f, f.trees[i], err) < 0)
                        failed = survey_failed(s, err);
        arena_free(&f.scratch);
        s->found->unseen = s->found->unseen || !all;
        return failed;
}
