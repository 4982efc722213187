#include "base/tree_move.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "base/tree_copy.h"
#include "base/tree_remove.h"

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

static struct unlocked unlock(int fd) {
        struct unlocked unlocked = { .fd = -1 };
        struct stat status;

        if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode) && (status.st_mode & S_IRWXU) != S_IRWXU &&
            copy_chmod(fd, status.st_mode | S_IRWXU) == 0)
                unlocked = (struct unlocked){ fd, status.st_mode };
        return unlocked;
}

static void lock_again(struct unlocked unlocked) {
        if (unlocked.fd >= 0)
                copy_chmod(unlocked.fd, unlocked.mode);
}

int move_new(int from, const char *name, int to, const char *to_name) {
        FD_AUTO fd = -1;
        struct unlocked parent, own;
        int moved = move_rename(from, name, to, to_name), why;

        if (moved == 0 || errno != EACCES)
                return moved;
        parent = unlock(from);
        fd = openat(from, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        own = unlock(fd);
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
                copy_chmod(fd, mode);
}

int move_remove(int dir, const char *name, int64_t time, struct err *err) {
        struct stat before, after;
        int known = fstat(dir, &before), failed = remove_here(dir, name, time_monotonic() + time, err);

        if (known == 0 && fstat(dir, &after) == 0 && after.st_mode != before.st_mode)
                copy_chmod(dir, before.st_mode);
        return failed;
}
