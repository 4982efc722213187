/*
 * Where the repositories in a workspace are, besides the one at its top. Two ways lead to them: the gitlinks in the index of
 * a repository, at any depth, since git goes there by itself; and a look around, a few directories deep, for what a person
 * enters. Only reads, goes through no symbolic link, and costs no more than it is allowed to.
 */
#include "protect/survey_inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "protect/git.h"

enum {
        TREES_MAX = 4096,
        LINKS_MAX = 4096,
        ENTRIES = 1 << 12, /* names in directories that are looked at */
        ENTRIES_DEEP = 1 << 16,
        DEPTH = 3, /* of directories that may hold a `.git`; where it begins is 0 */
        DEPTH_DEEP = 64,
        LIST_SIZE = 32 << 10, /* of directory entries, taken at once */
        SCRATCH_MAX = 64 << 20,
        INDEX_MAX = 64 << 20,
};

/* These have many directories, and no repository that people work in: they are not entered. */
static const char *const crowded[] = { "node_modules", "target", "build",       "dist",          "venv", ".venv",
                                       "__pycache__",  ".tox",   ".mypy_cache", ".pytest_cache", ".hg",  ".svn" };

/* File systems on which the links of a directory tell how many directories are in it. */
static const long counting[] = { EXT4_SUPER_MAGIC, TMPFS_MAGIC, XFS_SUPER_MAGIC };

struct finder {
        struct survey *s;
        struct arena scratch;         /* for paths that are only gone through: hostile trees may have many */
        struct protected_paths trees; /* to be visited: only their paths */
        unsigned links;               /* gitlinks that were looked at */
        unsigned deep_left;           /* names in directories, below repositories whose index says nothing */
        bool counted;                 /* a directory of `device` with two links has none in it */
        dev_t device;
};

/* A directory of the workspace. The kernel refuses links on the way, also those that are created at this moment. */
static int open_below(const struct survey *s, const char *path, int flags) {
        struct open_how how = { .flags = (unsigned)flags | O_DIRECTORY | O_CLOEXEC,
                                .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
        const char *rest = path_below(path, s->workspace) ? path + strlen(s->workspace) : "/.";
        int fd;

        rest += rest[0] == '/';
        fd = (int)syscall(SYS_openat2, s->workspace_fd, rest, &how, sizeof(how));
        if (fd < 0 && (errno == ENOSYS || errno == EPERM)) /* an old kernel, or a filter that does not know the call */
                fd = openat(s->workspace_fd, rest, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return fd;
}

/* NULL if it is longer than the kernel allows, or without memory. */
static const char *join(struct finder *f, const char *path, struct str name) {
        size_t len = strcmp(path, "/") != 0 ? strlen(path) : 0;
        char *joined = len + 1 + name.len < PATH_MAX ? arena_bytes(&f->scratch, len + name.len + 2) : NULL;

        if (joined)
                snprintf(joined, len + name.len + 2, "%.*s/%.*s", (int)len, path, (int)name.len, name.ptr);
        return joined;
}

static void add(struct finder *f, const char *path) {
        if (f->trees.count >= TREES_MAX)
                f->s->found->unseen = true;
        else if (protected_add(&f->trees, (struct protected_path){ .path = path }, &f->scratch, &f->s->last) < 0)
                survey_failed(f->s);
}

/* ---- a look around ---- */

struct folder {
        const char *path;
        unsigned depth;
        struct folder *next;
};

/* Breadth first, so that what is near the top is found, however much is below. */
struct walk {
        struct finder *f;
        struct folder *head, *tail;
        bool deep, all;
        bool has_head; /* there is one in the directory that is listed */
        unsigned *left;
};

static void push(struct walk *w, const char *path, unsigned depth) {
        struct folder *folder = arena_alloc(&w->f->scratch, sizeof(*folder));

        if (!folder) {
                w->all = false;
                return;
        }
        *folder = (struct folder){ path, depth, NULL };
        *(w->tail ? &w->tail->next : &w->head) = folder;
        w->tail = folder;
}

/* The path is kept with the results of the search. */
static bool opened(struct walk *w, const char *path) {
        return survey_opened(w->f->s, survey_keep(w->f->s, str_z(path)));
}

/* One that is not entered: what it may be can be asked without opening it. */
static void ask(struct walk *w, int fd, const char *name, const char *path, bool bare) {
        char inner[NAME_MAX + 16];
        bool found;

        snprintf(inner, sizeof(inner), "%s/.git", name);
        found = path_there(fd, inner);
        if (!found && errno == EACCES) {
                if (!opened(w, path))
                        return;
                found = path_there(fd, inner);
        }
        snprintf(inner, sizeof(inner), "%s/HEAD", name);
        if (found || (bare && path_there(fd, inner)))
                add(w->f, path);
}

/* Most directories hold only files, and to list them is what costs. */
static bool holds_directories(const struct finder *f, int fd, const char *name) {
        struct stat status;

        return !f->counted || fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0 || status.st_nlink != 2 ||
               status.st_dev != f->device;
}

static bool is_crowded(const char *name) {
        for (size_t i = 0; i < sizeof(crowded) / sizeof(*crowded); i++)
                if (strcmp(name, crowded[i]) == 0)
                        return true;
        return false;
}

bool survey_always_looks(const char *below) {
        unsigned depth = 1;

        for (const char *slash = strchr(below, '/'); slash; slash = strchr(below, '/'), depth++) {
                char name[NAME_MAX + 1];

                snprintf(name, sizeof(name), "%.*s", (int)(slash - below), below);
                if (is_crowded(name))
                        return false;
                below = slash + 1;
        }
        return depth <= DEPTH;
}

static void walk_directory(struct walk *w, int fd, const struct folder *folder, const char *name) {
        const char *path = join(w->f, folder->path, str_z(name));

        if (!path)
                w->all = false;
        else if (folder->depth + 1 >= (w->deep ? DEPTH_DEEP : DEPTH) || (!w->deep && is_crowded(name)))
                ask(w, fd, name, path, true);
        else if (!holds_directories(w->f, fd, name)) /* only an attacker would make a bare repository like this */
                ask(w, fd, name, path, w->f->s->before);
        else
                push(w, path, folder->depth + 1);
}

static bool is_directory(int fd, const char *name, unsigned char type) {
        struct stat status;

        if (type != DT_UNKNOWN)
                return type == DT_DIR;
        return fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0 && S_ISDIR(status.st_mode);
}

static void walk_name(struct walk *w, int fd, const struct folder *folder, const struct dirent64 *entry) {
        const char *name = entry->d_name;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                return;
        if (*w->left == 0) {
                w->all = false;
                return;
        }
        --*w->left;
        w->has_head = w->has_head || strcmp(name, "HEAD") == 0;
        if (strcmp(name, ".git") == 0)
                add(w->f, folder->path);
        else if (is_directory(fd, name, entry->d_type))
                walk_directory(w, fd, folder, name);
}

/* It can be listed, and not searched. To root it is open, but not to what makes mounts in a user namespace. */
static bool is_shut(int fd) {
        struct stat status;

        if (geteuid() != 0)
                return faccessat(fd, ".", F_OK, 0) < 0;
        return fstat(fd, &status) == 0 && status.st_uid == 0 && (status.st_mode & S_IXUSR) == 0;
}

static void walk_folder(struct walk *w, const struct folder *folder) {
        const struct survey *s = w->f->s;
        bool top = strcmp(folder->path, s->workspace) == 0;
        FD_AUTO fd = open_below(s, folder->path, O_RDONLY);
        struct folder *tail = w->tail;
        alignas(struct dirent64) char list[LIST_SIZE];
        ssize_t len = 0;

        if ((fd < 0 && errno == EACCES) || (fd >= 0 && !top && is_shut(fd))) {
                if (!opened(w, folder->path))
                        return;
                fd_close(TAKE_FD(fd));
                fd = open_below(s, folder->path, O_RDONLY);
        }
        w->has_head = false;
        while (fd >= 0 && !s->failed && *w->left && (len = getdents64(fd, list, sizeof(list))) > 0)
                for (ssize_t at = 0; at < len; at += ((const struct dirent64 *)(const void *)(list + at))->d_reclen)
                        walk_name(w, fd, folder, (const void *)(list + at));
        if (len > 0 && !*w->left)
                w->all = false;
        if (!w->has_head || top || !survey_is_git_dir(fd, true))
                return;
        w->tail = tail; /* no repositories are searched inside a git directory */
        tail->next = NULL;
        add(w->f, folder->path);
}

/* Looks for repositories in this directory and those below it, a few deep or, with `deep`, as deep as they are. Takes off
 * `left` what it has seen; false when that was too little. */
static bool look_around(struct finder *f, const char *path, bool deep, unsigned *left) {
        struct walk w = { .f = f, .deep = deep, .left = left, .all = true };

        push(&w, path, 0);
        for (const struct folder *folder = w.head; folder && *left && !f->s->failed; folder = folder->next) {
                walk_folder(&w, folder);
                w.all = w.all && (*left || !folder->next);
        }
        return w.all && *left;
}

static void know_device(struct finder *f) {
        struct statfs system;
        struct stat status;

        if (fstatfs(f->s->workspace_fd, &system) < 0 || fstat(f->s->workspace_fd, &status) < 0)
                return;
        f->device = status.st_dev;
        for (size_t i = 0; i < sizeof(counting) / sizeof(*counting); i++)
                f->counted = f->counted || (long)system.f_type == counting[i];
}

/* ---- indexes ---- */

/* Wherever `.git` leads to, as git would follow it: it is only read. */
static int open_git_dir(struct survey *s, int tree) {
        int fd = openat(tree, ".git", O_PATH | O_DIRECTORY | O_CLOEXEC);
        const char *target = fd < 0 && errno == ENOTDIR ? survey_read_path(s, tree, ".git", "gitdir: ") : NULL;

        return target ? openat(tree, target, O_PATH | O_DIRECTORY | O_CLOEXEC) : fd;
}

static int find_format(void *context, const struct git_setting *setting, struct err *err) {
        unsigned *size = context;

        (void)err;
        if (str_is(setting->section, "extensions") && str_is(setting->name, "objectformat"))
                *size = str_is(setting->value, "sha256") ? GIT_INDEX_SHA256 : GIT_INDEX_SHA1;
        return 0;
}

static unsigned id_size(struct finder *f, int git_dir) {
        const char *target = path_there(git_dir, "commondir") ? survey_read_path(f->s, git_dir, "commondir", "") : NULL;
        FD_AUTO common = target ? openat(git_dir, target, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
        unsigned size = GIT_INDEX_SHA1;
        BUF_AUTO text;

        buf_init(&text, SURVEY_FILE_MAX);
        if (file_read(common >= 0 ? common : git_dir, "config", "config", FILE_ANY, &text, NULL) == 0)
                git_config_read(buf_str(&text), &f->scratch, find_format, &size, NULL);
        return size;
}

/* Not mapped: if it were truncated while we read it, a signal would kill this process. Empty when there is none; false: too
 * long. */
static bool read_index(int git_dir, char **ret, size_t *ret_len) {
        FD_AUTO fd = openat(git_dir, "index", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        struct stat status;
        size_t len = 0;
        char *bytes;

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
        const char *tree;
};

static int show_link(void *context, struct str name, struct err *err) {
        const struct links *links = context;
        struct finder *f = links->f;
        struct arena_mark mark = arena_mark(&f->scratch);
        const char *path = join(f, links->tree, name);
        FD_AUTO fd = path && ++f->links <= LINKS_MAX ? open_below(f->s, path, O_PATH) : -1;

        (void)err;
        if (fd >= 0 && path_there(fd, ".git"))
                add(f, path);
        else
                arena_rewind(&f->scratch, mark);
        return 0;
}

/* The index cannot be understood, so all below its repository is looked at. If that is too much, the index may lead git to what
 * was not found. */
static void look_deep(struct finder *f, const char *tree, int git_dir) {
        struct survey *s = f->s;
        char real[PATH_MAX];

        if (look_around(f, tree, true, &f->deep_left) || s->failed)
                return;
        if (!path_of_fd(git_dir, real))
                survey_sys(s, "a git directory of %s", s->workspace);
        else if (survey_root(s, real) || strcmp(real, s->workspace) == 0)
                survey_name(s, git_dir, survey_keep(s, str_z(real)), "index", PROTECTED_INDEX, false);
}

static void find_links(struct finder *f, const char *tree, int fd) {
        struct links links = { f, tree };
        FD_AUTO git_dir = open_git_dir(f->s, fd);
        char *bytes = NULL;
        size_t len = 0;
        bool known;

        if (git_dir < 0)
                return;
        known = read_index(git_dir, &bytes, &len);
        if (known && bytes)
                git_index_read(str_from(bytes, len), id_size(f, git_dir), show_link, &links, &known, NULL);
        free(bytes);
        if (!known || f->links > LINKS_MAX)
                look_deep(f, tree, git_dir);
}

/* ---- the whole ---- */

static void visit(struct finder *f, const char *path) {
        struct survey *s = f->s;
        FD_AUTO fd = open_below(s, path, O_PATH);

        if (fd >= 0) {
                survey_tree(s, fd, survey_keep(s, str_z(path)), path_below(path, s->workspace));
                find_links(f, path, fd);
        } else if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP && errno != EACCES && errno != EXDEV) {
                survey_sys(s, "%s", path); /* otherwise it is gone; a closed directory was reported when it was found */
        }
}

void survey_trees(struct survey *s) {
        struct finder f = { .s = s, .deep_left = ENTRIES_DEEP };
        /* the commands made what has been added since */
        unsigned left = s->before && !s->before->unseen ? ENTRIES_DEEP : ENTRIES;
        bool all;

        arena_init(&f.scratch, SCRATCH_MAX);
        know_device(&f);
        add(&f, s->workspace);
        all = look_around(&f, s->workspace, false, &left);
        for (size_t i = 0; !s->failed && i < f.trees.count; i++)
                visit(&f, f.trees.items[i].path);
        arena_free(&f.scratch);
        s->found->unseen = s->found->unseen || !all;
}
