#include "base/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/time.h"

DIR *tree_list(int directory, const char *name) {
        FD_AUTO fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        DIR *stream = fd < 0 ? NULL : fdopendir(fd);

        if (stream)
                TAKE_FD(fd);
        return stream;
}

const struct dirent *tree_next(DIR *stream) {
        const struct dirent *entry;

        do {
                errno = 0;
                entry = readdir(stream);
        } while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
        return entry;
}

/* ---- moving ---- */

/* Takes the place of an empty directory, and of nothing else. */
static int rename_directory(int from, const char *name, int to, const char *to_name) {
        int why;

        if (mkdirat(to, to_name, 0700) < 0)
                return -1;
        if (renameat(from, name, to, to_name) == 0)
                return 0;
        why = errno;
        unlinkat(to, to_name, AT_REMOVEDIR);
        errno = why;
        return -1;
}

int move_rename(int from, const char *name, int to, const char *to_name) {
        struct stat status;

        if (renameat2(from, name, to, to_name, 1 /* RENAME_NOREPLACE */) == 0)
                return 0;
        if ((errno != EINVAL && errno != ENOSYS) || fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
                return -1;
        if (S_ISDIR(status.st_mode)) /* the file system does not know the flag */
                return rename_directory(from, name, to, to_name);
        return linkat(from, name, to, to_name, 0) == 0 ? unlinkat(from, name, 0) : -1;
}

struct unlocked {
        int fd;
        mode_t mode;
};

static struct unlocked let_move(int fd) {
        struct unlocked unlocked = { .fd = -1 };
        struct stat status;

        if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode) && (status.st_mode & S_IRWXU) != S_IRWXU &&
            tree_chmod(fd, status.st_mode | S_IRWXU) == 0)
                unlocked = (struct unlocked){ fd, status.st_mode };
        return unlocked;
}

static void lock_again(struct unlocked unlocked) {
        if (unlocked.fd >= 0)
                tree_chmod(unlocked.fd, unlocked.mode);
}

int move_new(int from, const char *name, int to, const char *to_name) {
        FD_AUTO fd = -1;
        struct unlocked parent, own;
        int moved = move_rename(from, name, to, to_name), why;

        if (moved == 0 || errno != EACCES)
                return moved;
        parent = let_move(from);
        fd = openat(from, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        own = let_move(fd);
        moved = move_rename(from, name, to, to_name);
        why = errno;
        lock_again(own);
        lock_again(parent);
        errno = why;
        return moved;
}

void move_set_mode(int dir, const char *name, mode_t mode) {
        FD_AUTO fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        struct stat status;

        if (fd >= 0 && fstat(fd, &status) == 0 && !S_ISLNK(status.st_mode))
                tree_chmod(fd, mode);
}

/* ---- removing ---- */

static int unlock(int fd) {
        struct stat status;

        if (fstat(fd, &status) < 0)
                return -1;
        return (status.st_mode & S_IRWXU) == S_IRWXU ? 0 : tree_chmod(fd, status.st_mode | S_IRWXU);
}

/* Makes a directory of ours readable, writable and searchable for us, without following a link. */
static int remove_unlock(int directory, const char *name, struct err *err) {
        FD_AUTO fd = -1;

        if (strcmp(name, ".") == 0) /* which cannot be opened without search permission */
                return unlock(directory) < 0 ? err_sys(err, "cannot unlock a directory") : 0;
        fd = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return fd < 0 || unlock(fd) < 0 ? err_sys(err, "cannot unlock %s", name) : 0;
}

/* Gives it another name beside it, which means nothing to anybody. */
static int remove_aside(int directory, const char *name, char ret_name[static REMOVE_NAME_SIZE], struct err *err) {
        char id[ID_SIZE];

        if (id_new(id, err) < 0)
                return -1;
        snprintf(ret_name, REMOVE_NAME_SIZE, ".bailey-aside-%s", id);
        if (renameat(directory, name, directory, ret_name) == 0)
                return 0;
        if (errno == EACCES) { /* either of the two may be locked: a directory that moves has to be writable, too */
                remove_unlock(directory, ".", NULL);
                remove_unlock(directory, name, NULL);
                if (renameat(directory, name, directory, ret_name) == 0)
                        return 0;
        }
        return err_sys(err, "cannot move %s aside", name);
}

/* 0: gone; 1: a directory that is not empty. */
static int remove_one(int directory, const char *name, struct err *err) {
        for (bool unlocked = false;; unlocked = true) {
                if (unlinkat(directory, name, 0) == 0 || errno == ENOENT)
                        return 0;
                if (errno == EISDIR || errno == EPERM) {
                        if (unlinkat(directory, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
                                return 0;
                        if (errno == ENOTEMPTY || errno == EEXIST)
                                return 1;
                }
                if (errno != EACCES || unlocked || remove_unlock(directory, ".", NULL) < 0)
                        return err_sys(err, "cannot remove %s", name);
        }
}

struct removal {
        int top; /* whose entries are removed; what lies deeper is brought up here */
        int64_t deadline;
        uint64_t moved;
};

static DIR *list(int directory, const char *name) {
        DIR *stream = tree_list(directory, name);

        if (!stream && errno == EACCES && remove_unlock(directory, name, NULL) == 0)
                stream = tree_list(directory, name);
        return stream;
}

static int in_time(const struct removal *removal, struct err *err) {
        return time_monotonic() < removal->deadline ? 0 : err_set(err, ERR_TOO_COMPLEX, "too much to remove in one go");
}

/* Names are ours from here on, so the next free number is soon found. */
static int bring_up(struct removal *removal, int directory, const char *name, struct err *err) {
        char up[REMOVE_NAME_SIZE];

        for (int tries = 0; tries < 1000; tries++) {
                snprintf(up, sizeof(up), ".bailey-aside-%llu", (unsigned long long)removal->moved++);
                if (renameat2(directory, name, removal->top, up, 1 /* RENAME_NOREPLACE */) == 0 || errno == ENOENT)
                        return 0;
                if (errno == EACCES && remove_unlock(directory, name, NULL) == 0 &&
                    renameat2(directory, name, removal->top, up, 1) == 0)
                        return 0;
                if (errno != EEXIST)
                        break;
        }
        return err_sys(err, "cannot move %s", name);
}

/* Empties a directory of the top one: its files go, its directories come up beside it. */
static int empty_one(struct removal *removal, const char *name, struct err *err) {
        DIR *stream = list(removal->top, name);
        const struct dirent *entry;
        int failed = 0;

        if (!stream)
                return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : err_sys(err, "cannot list %s", name);
        remove_unlock(removal->top, name, NULL); /* may be readable and still not writable */
        while (!failed && (entry = tree_next(stream))) {
                failed = in_time(removal, err);
                if (!failed)
                        failed = remove_one(dirfd(stream), entry->d_name, err);
                if (failed > 0)
                        failed = bring_up(removal, dirfd(stream), entry->d_name, err);
        }
        closedir(stream);
        return failed;
}

/* One pass over the top; 1 when there may be more. */
static int empty_top(struct removal *removal, struct err *err) {
        DIR *stream = list(removal->top, ".");
        const struct dirent *entry;
        int failed = 0, seen = 0;

        if (!stream)
                return err_sys(err, "cannot list a directory");
        while (failed >= 0 && (entry = tree_next(stream))) {
                seen = 1;
                failed = in_time(removal, err);
                if (!failed)
                        failed = remove_one(removal->top, entry->d_name, err);
                if (failed > 0)
                        failed = empty_one(removal, entry->d_name, err);
        }
        closedir(stream);
        return failed < 0 ? -1 : seen;
}

static int remove_here(int directory, const char *name, int64_t deadline, struct err *err) {
        struct removal removal = { .top = -1, .deadline = deadline };
        int left = remove_one(directory, name, err);

        if (left <= 0)
                return left;
        if (remove_unlock(directory, name, err) < 0)
                return -1;
        removal.top = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (removal.top < 0)
                return err_sys(err, "cannot open %s", name);
        do
                left = empty_top(&removal, err);
        while (left > 0);
        fd_close(removal.top);
        if (left == 0 && unlinkat(directory, name, AT_REMOVEDIR) < 0)
                left = err_sys(err, "cannot remove it");
        return left;
}

int remove_tree(int directory, const char *name, int64_t deadline, struct err *err) {
        char aside[REMOVE_NAME_SIZE];
        int left = remove_one(directory, name, err);

        if (left <= 0)
                return left;
        if (remove_aside(directory, name, aside, err) < 0)
                return -1;
        if (remove_here(directory, aside, deadline, err) < 0)
                return err_context(err, "%s is now %s and cannot be removed", name, aside);
        return 0;
}

int move_remove(int dir, const char *name, int64_t time, struct err *err) {
        struct stat before, after;
        int known = fstat(dir, &before), failed = remove_here(dir, name, time_monotonic() + time, err);

        if (known == 0 && fstat(dir, &after) == 0 && after.st_mode != before.st_mode)
                tree_chmod(dir, before.st_mode);
        return failed;
}
