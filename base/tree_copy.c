#include "base/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/time.h"

enum { ATTRIBUTES_MAX = 4 << 10, CHUNK = 64 << 10 };

int tree_chmod(int fd, mode_t mode) {
        return chmod(path_to_fd(fd).text, mode & 07777);
}

/* The mode of a directory has to let us in as long as it is read; that of a file only when it is opened. */
static bool is_locked(const struct stat *status) {
        return S_ISDIR(status->st_mode) && (status->st_mode & S_IRWXU) != S_IRWXU;
}

/* Opens what its mode does not let us read, too; of a directory the caller puts the mode back. O_NONBLOCK: a lease must not
 * keep us waiting. */
static int open_locked(int fd, const struct stat *status, int flags) {
        int opened = is_locked(status) ? -1 : open(path_to_fd(fd).text, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

        if (opened < 0 && (is_locked(status) || errno == EACCES) && tree_chmod(fd, status->st_mode | S_IRWXU) == 0) {
                opened = open(path_to_fd(fd).text, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
                if (!S_ISDIR(status->st_mode) && tree_chmod(fd, status->st_mode) < 0) {
                        fd_close(opened);
                        return -1;
                }
        }
        return opened;
}

/* ---- attributes ---- */

static void copy_attributes(int from, int to) {
        char names[ATTRIBUTES_MAX], value[ATTRIBUTES_MAX];
        ssize_t len = listxattr(path_to_fd(from).text, names, sizeof(names));

        for (ssize_t i = 0; i < len; i += (ssize_t)strlen(names + i) + 1) {
                ssize_t size = getxattr(path_to_fd(from).text, names + i, value, sizeof(value));

                if (size >= 0)
                        (void)!setxattr(path_to_fd(to).text, names + i, value, (size_t)size, 0);
        }
}

/* Only the mode has to be right: without it a program would not start, or a secret be readable. */
static int copy_status(int from, const struct stat *status, int to, const char *name, struct err *err) {
        const struct timespec times[2] = { status->st_atim, status->st_mtim };
        FD_AUTO fd = openat(to, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

        if (fd < 0)
                return err_sys(err, "cannot open the copy of %s", name);
        if (geteuid() == 0)
                (void)!fchownat(fd, "", status->st_uid, status->st_gid, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
        if (S_ISLNK(status->st_mode)) {
                (void)!utimensat(to, name, times, AT_SYMLINK_NOFOLLOW);
                return 0;
        }
        copy_attributes(from, fd);
        if (tree_chmod(fd, status->st_mode) < 0)
                return err_sys(err, "cannot set the mode of the copy of %s", name);
        (void)!utimensat(AT_FDCWD, path_to_fd(fd).text, times, 0);
        return 0;
}

/* ---- contents ---- */

static int copy_bytes(int from, int to, struct copy *copy, struct err *err) {
        char chunk[CHUNK];
        ssize_t got;

        while ((got = read(from, chunk, sizeof(chunk))) > 0) {
                if ((uint64_t)got > copy->bytes)
                        return err_set(err, ERR_TOO_COMPLEX, "it is too large");
                copy->bytes -= (uint64_t)got;
                if (time_monotonic() > copy->deadline)
                        return err_set(err, ERR_TOO_COMPLEX, "it takes too long");
                if (fd_write_all(to, str_from(chunk, (size_t)got), err) < 0)
                        return -1;
        }
        return got < 0 ? err_sys(err, "cannot read a file") : 0;
}

static int copy_file(int fd, const struct stat *status, int to, const char *name, struct copy *copy, struct err *err) {
        FD_AUTO from = open_locked(fd, status, O_RDONLY);
        FD_AUTO made = -1;
        struct stat before, after;

        if (from < 0 || fstat(from, &before) < 0)
                return err_sys(err, "cannot read %s", name);
        if ((uint64_t)before.st_size > copy->bytes)
                return err_set(err, ERR_TOO_COMPLEX, "it is too large");
        made = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (made < 0)
                return err_sys(err, "cannot make a copy of %s", name);
        if (copy_bytes(from, made, copy, err) < 0)
                return err_context(err, "%s", name);
        if (fstat(from, &after) < 0 || after.st_size != before.st_size || after.st_mtim.tv_sec != before.st_mtim.tv_sec ||
            after.st_mtim.tv_nsec != before.st_mtim.tv_nsec)
                return err_set(err, ERR_CHANGED, "%s was written meanwhile", name);
        return 0;
}

static int copy_link(int fd, int to, const char *name, struct err *err) {
        char text[PATH_MAX + 1];
        ssize_t len = readlinkat(fd, "", text, sizeof(text) - 1);

        if (len >= 0)
                text[len] = '\0';
        return len < 0 || symlinkat(text, to, name) < 0 ? err_sys(err, "cannot make a copy of the link %s", name) : 0;
}

static int copy_one(int from, const char *name, int to, const char *to_name, unsigned depth, struct copy *copy,
                    struct err *err);

static int copy_entries(DIR *stream, int to, unsigned depth, struct copy *copy, struct err *err) {
        const struct dirent *entry;

        while ((entry = tree_next(stream)))
                if (copy_one(dirfd(stream), entry->d_name, to, entry->d_name, depth, copy, err) < 0)
                        return -1;
        return errno ? err_sys(err, "cannot list a directory") : 0;
}

static int copy_directory(int fd, const struct stat *status, int to, const char *name, unsigned depth, struct copy *copy,
                          struct err *err) {
        FD_AUTO made = -1;
        DIR *stream;
        int from, failed = 0;

        if (depth > COPY_DEPTH_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "it is too deep");
        if (mkdirat(to, name, 0700) < 0)
                return err_sys(err, "cannot make a copy of %s", name);
        made = openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (made < 0)
                return err_sys(err, "cannot open the copy of %s", name);
        from = open_locked(fd, status, O_RDONLY | O_DIRECTORY);
        stream = from < 0 ? NULL : fdopendir(from);
        if (stream) {
                failed = copy_entries(stream, made, depth, copy, err);
                closedir(stream);
        } else {
                failed = err_sys(err, "cannot list %s", name);
                fd_close(from);
        }
        if (is_locked(status) && tree_chmod(fd, status->st_mode) < 0 && !failed)
                failed = err_sys(err, "cannot set the mode of %s", name);
        return failed;
}

static int copy_one(int from, const char *name, int to, const char *to_name, unsigned depth, struct copy *copy,
                    struct err *err) {
        FD_AUTO fd = openat(from, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        struct stat status;
        int failed;

        if (fd < 0 && errno == ENOENT && depth > 0)
                return 0; /* gone meanwhile */
        if (fd < 0 || fstat(fd, &status) < 0)
                return err_sys(err, "cannot open %s", name);
        if (copy->entries-- == 0)
                return copy->entries = 0, err_set(err, ERR_TOO_COMPLEX, "it has too many files");
        if (time_monotonic() > copy->deadline)
                return err_set(err, ERR_TOO_COMPLEX, "it takes too long");
        if (S_ISREG(status.st_mode))
                failed = copy_file(fd, &status, to, to_name, copy, err);
        else if (S_ISDIR(status.st_mode))
                failed = copy_directory(fd, &status, to, to_name, depth + 1, copy, err);
        else if (S_ISLNK(status.st_mode))
                failed = copy_link(fd, to, to_name, err);
        else if (S_ISFIFO(status.st_mode))
                failed = mkfifoat(to, to_name, 0600) < 0 ? err_sys(err, "cannot make a copy of %s", name) : 0;
        else if (depth > 0)
                return copy->skipped++, 0;
        else
                failed = err_set(err, ERR_UNSUPPORTED, "sockets and devices are not copied");
        return failed ? failed : copy_status(fd, &status, to, to_name, err);
}

int copy_tree(int from, const char *name, int to, const char *to_name, struct copy *copy, struct err *err) {
        return copy_one(from, name, to, to_name, 0, copy, err);
}
