#include "protect/nested_inside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"

enum {
        DEPTH = 3, /* of directories that may hold a `.git`; where it begins is 0 */
        DEPTH_DEEP = 64,
        LIST_SIZE = 32 << 10, /* of directory entries, taken at once */
};

/* Many directories, and no repository among them that somebody works in: they are not entered. */
static const char *const crowded[] = { "node_modules", "target", "build",       "dist",          "venv", ".venv",
                                       "__pycache__",  ".tox",   ".mypy_cache", ".pytest_cache", ".hg",  ".svn" };

/* File systems on which the links of a directory tell how many directories are in it. */
static const long counting[] = { EXT4_SUPER_MAGIC, TMPFS_MAGIC, XFS_SUPER_MAGIC };

struct folder {
        const char *path;
        unsigned depth;
        struct folder *next;
};

/* Breadth first, so that what is near is found whatever is far. */
struct walk {
        struct finder *f;
        struct folder *head, *tail;
        unsigned depth, *left;
        bool skip, all;
        bool counted; /* a directory of `device` with two links has none in it */
        dev_t device;
};

/* What the names in a directory make of it. */
enum { HAS_HEAD = 1, HAS_OBJECTS = 2, HAS_REFS = 4, HAS_COMMON = 8 };

static const struct {
        const char *name;
        unsigned has;
} git_signs[] = { { "HEAD", HAS_HEAD }, { "objects", HAS_OBJECTS }, { "refs", HAS_REFS }, { "commondir", HAS_COMMON } };

static bool is_bare(unsigned has) {
        return (has & HAS_HEAD) && ((has & HAS_COMMON) || ((has & HAS_OBJECTS) && (has & HAS_REFS)));
}

static unsigned sign_of(const char *name) {
        for (size_t i = 0; i < sizeof(git_signs) / sizeof(*git_signs); i++)
                if (strcmp(name, git_signs[i].name) == 0)
                        return git_signs[i].has;
        return 0;
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

static void push(struct walk *w, const char *path, unsigned depth) {
        struct folder *folder = arena_alloc(&w->f->scratch, sizeof(*folder));

        if (!folder) {
                w->all = false;
                return;
        }
        *folder = (struct folder){ path, depth, NULL };
        if (w->tail)
                w->tail->next = folder;
        else
                w->head = folder;
        w->tail = folder;
}

/* A directory that cannot be looked into. 1: it can now. */
static int closed(struct walk *w, const char *path, struct err *err) {
        const char *full = finder_join(w->f->s->arena, w->f->s->workspace, str_z(path));

        return full ? survey_closed(w->f->s, full, err) : err_set(err, ERR_MEMORY, "out of memory");
}

/* One that is not entered: what it is can be asked without opening it. */
static int ask(struct walk *w, int fd, const char *name, const char *path, bool bare, struct err *err) {
        char inner[NAME_MAX + 16];
        unsigned has = 0;

        snprintf(inner, sizeof(inner), "%s/.git", name);
        if (!finder_sees(fd, inner) && errno == EACCES) {
                int again = closed(w, path, err);

                if (again <= 0)
                        return again;
        }
        if (finder_sees(fd, inner) && finder_add(w->f, path, false, err) < 0)
                return -1;
        for (size_t i = 0; bare && i < sizeof(git_signs) / sizeof(*git_signs) && (i == 0 || (has & HAS_HEAD)); i++) {
                snprintf(inner, sizeof(inner), "%s/%s", name, git_signs[i].name);
                has |= finder_sees(fd, inner) ? git_signs[i].has : 0;
        }
        return is_bare(has) ? finder_add(w->f, path, true, err) : 0;
}

/* Most directories hold only files, and to list them is what costs. */
static bool holds_directories(const struct walk *w, int fd, const char *name) {
        struct stat status;

        return !w->counted || fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0 || status.st_nlink != 2 ||
               status.st_dev != w->device;
}

static int walk_name(struct walk *w, int fd, const struct folder *folder, const char *name, struct err *err) {
        const char *path = finder_join(&w->f->scratch, folder->path, str_z(name));

        if (!path) {
                w->all = false;
                return 0;
        }
        if (folder->depth + 1 >= w->depth || (w->skip && is_crowded(name)))
                return ask(w, fd, name, path, true, err);
        if (!holds_directories(w, fd, name)) /* so it is bare only in a way that nobody makes who is not hostile */
                return ask(w, fd, name, path, w->f->s->before, err);
        push(w, path, folder->depth + 1);
        return 0;
}

static bool is_directory(int fd, const char *name, unsigned char type) {
        struct stat status;

        if (type != DT_UNKNOWN)
                return type == DT_DIR;
        return fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0 && S_ISDIR(status.st_mode);
}

static int walk_entry(struct walk *w, int fd, const struct folder *folder, const struct dirent64 *entry, unsigned *has,
                      struct err *err) {
        const char *name = entry->d_name;

        if (name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2])))
                return 0;
        if (*w->left == 0) {
                w->all = false;
                return 0;
        }
        --*w->left;
        *has |= sign_of(name);
        if (strcmp(name, ".git") == 0)
                return *folder->path ? finder_add(w->f, folder->path, false, err) : 0;
        return is_directory(fd, name, entry->d_type) ? walk_name(w, fd, folder, name, err) : 0;
}

/* To root it is open, but not to what makes mounts in a user namespace. */
static bool is_shut(int fd) {
        struct stat status;

        return geteuid() == 0 && fstat(fd, &status) == 0 && status.st_uid == 0 && (status.st_mode & S_IXUSR) == 0;
}

static int walk_folder(struct walk *w, const struct folder *folder, struct err *err) {
        FD_AUTO fd = finder_open(w->f, -1, folder->path, O_RDONLY);
        struct folder *tail = w->tail;
        unsigned has = 0;
        alignas(struct dirent64) char list[LIST_SIZE];
        ssize_t len = 0;

        if ((fd < 0 && errno == EACCES) || (fd >= 0 && *folder->path && is_shut(fd))) {
                int again = closed(w, folder->path, err);

                if (again <= 0)
                        return again;
                fd_close(TAKE_FD(fd));
                fd = finder_open(w->f, -1, folder->path, O_RDONLY);
        }
        if (fd < 0)
                return 0;
        while (*w->left && (len = getdents64(fd, list, sizeof(list))) > 0)
                for (ssize_t at = 0; at < len;) {
                        const struct dirent64 *entry = (const void *)(list + at);

                        if (walk_entry(w, fd, folder, entry, &has, err) < 0)
                                return -1;
                        at += entry->d_reclen;
                }
        if (len > 0 && !*w->left)
                w->all = false;
        if (!is_bare(has) || !*folder->path)
                return 0;
        w->tail = tail; /* what is in a git directory is no repository to enter */
        if (tail)
                tail->next = NULL;
        return finder_add(w->f, folder->path, true, err);
}

static void know_device(struct walk *w) {
        struct statfs system;
        struct stat status;

        if (fstatfs(w->f->s->workspace_fd, &system) < 0 || fstat(w->f->s->workspace_fd, &status) < 0)
                return;
        w->device = status.st_dev;
        for (size_t i = 0; i < sizeof(counting) / sizeof(*counting); i++)
                w->counted = w->counted || (long)system.f_type == counting[i];
}

int finder_look_around(struct finder *f, const char *path, bool deep, unsigned *left, bool *ret_all, struct err *err) {
        struct walk w = { .f = f, .depth = deep ? DEPTH_DEEP : DEPTH, .left = left, .skip = !deep, .all = true };

        know_device(&w);
        push(&w, path, 0);
        for (const struct folder *folder = w.head; folder && *left; folder = folder->next) {
                if (walk_folder(&w, folder, err) < 0)
                        return -1;
                w.all = w.all && (*left || !folder->next);
        }
        *ret_all = w.all && *left;
        return 0;
}
