#include "policy/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/id.h"

/* ---- where ---- */

const char *environment_get(const char *const *environment, const char *name) {
        size_t len = strlen(name);

        for (; environment && *environment; environment++)
                if (strncmp(*environment, name, len) == 0 && (*environment)[len] == '=')
                        return *environment + len + 1;
        return NULL;
}

/* The XDG specification has relative paths ignored. */
static bool directory_find(const char *const *environment, const char *variable, const char *below_home,
                           struct directory *ret) {
        const char *base = environment_get(environment, variable), *home = environment_get(environment, "HOME");
        int len = -1;

        if (base && base[0] == '/')
                len = snprintf(ret->path, sizeof(ret->path), "%s/bailey", base);
        else if (home && home[0] == '/')
                len = snprintf(ret->path, sizeof(ret->path), "%s/%s/bailey", home, below_home);
        return len > 0 && (size_t)len < sizeof(ret->path);
}

bool directory_config(const char *const *environment, struct directory *ret) {
        return directory_find(environment, "XDG_CONFIG_HOME", ".config", ret);
}

bool directory_state(const char *const *environment, struct directory *ret) {
        return directory_find(environment, "XDG_STATE_HOME", ".local/state", ret);
}

int directory_need_state(const char *const *environment, struct directory *ret, struct err *err) {
        if (directory_state(environment, ret))
                return 0;
        return err_set(err, ERR_INVALID,
                       "cannot find the state directory: neither XDG_STATE_HOME nor HOME is an absolute path");
}

/* Where there is no runtime directory, which dies with the user's login, the other one serves. */
bool directory_runtime(const char *const *environment, struct directory *ret) {
        const char *base = environment_get(environment, "XDG_RUNTIME_DIR");
        struct directory state;
        int len = -1;

        if (base && base[0] == '/')
                len = snprintf(ret->path, sizeof(ret->path), "%s/bailey", base);
        else if (directory_state(environment, &state))
                len = snprintf(ret->path, sizeof(ret->path), "%s/sessions", state.path);
        return len > 0 && (size_t)len < sizeof(ret->path);
}

int directory_open(const char *path, int *ret_fd, struct err *err) {
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
                return err_sys(err, "cannot open %s", path);
        *ret_fd = fd;
        return 0;
}

int directory_make(const char *path, int *ret_fd, struct err *err) {
        struct directory part;
        size_t len = strlen(path);

        if (len >= sizeof(part.path))
                return err_set(err, ERR_INVALID, "directory path too long: %s", path);
        if (directory_open(path, ret_fd, NULL) == 0 && *ret_fd >= 0)
                return 0; /* as always but the first time */
        for (size_t i = 1; i <= len; i++) {
                if (path[i] != '/' && path[i] != '\0')
                        continue;
                memcpy(part.path, path, i);
                part.path[i] = '\0';
                if (mkdir(part.path, 0700) < 0 && errno != EEXIST)
                        return err_sys(err, "cannot create %s", part.path);
        }
        if (directory_open(path, ret_fd, err) < 0)
                return -1;
        return *ret_fd < 0 ? err_set(err, ERR_SYSTEM, "%s is not a directory", path) : 0;
}

/* ---- reading ---- */

static int owner_check(int fd, const char *label, const char *what, struct err *err) {
        struct stat status;

        if (fstat(fd, &status) < 0)
                return err_sys(err, "%s", label);
        if (status.st_uid != 0 && status.st_uid != geteuid())
                return err_set(err, ERR_REFUSED, "%s: refused because %s is owned by user %u, not by you or root", label, what,
                               (unsigned)status.st_uid);
        if (status.st_mode & (S_IWGRP | S_IWOTH))
                return err_set(err, ERR_REFUSED, "%s: refused because other users can write %s; run chmod go-w on it", label,
                               what);
        return 0;
}

static int open_failed(const char *label, enum file_care care, struct err *err) {
        if (errno == ELOOP && care == FILE_NO_LINK)
                return err_set(err, ERR_REFUSED, "%s: refused because it is a symbolic link", label);
        if (errno == EWOULDBLOCK)
                return err_set(err, ERR_SYSTEM, "%s: another program holds a lease on the file; see /proc/locks", label);
        return err_sys(err, "%s", label);
}

int file_read(int at, const char *name, const char *label, enum file_care care, struct buf *text, struct err *err) {
        /* O_NONBLOCK: a fifo must not keep us waiting before we know that it is one */
        FD_AUTO fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (care == FILE_NO_LINK ? O_NOFOLLOW : 0));
        struct stat status;

        if (fd < 0)
                return open_failed(label, care, err);
        if (fstat(fd, &status) < 0)
                return err_sys(err, "%s", label);
        if (!S_ISREG(status.st_mode))
                return err_set(err, ERR_REFUSED, "%s: refused because it is not a regular file", label);
        if (care == FILE_PRIVATE &&
            (owner_check(fd, label, "it", err) < 0 || (at != AT_FDCWD && owner_check(at, label, "its directory", err) < 0)))
                return -1;
        if (fd_read_all(fd, text, err) < 0) {
                if (err && err->code == ERR_TOO_COMPLEX)
                        return err_set(err, ERR_TOO_COMPLEX, "%s: larger than %zu bytes", label, text->max);
                return err_context(err, "%s", label);
        }
        return 0;
}

/* ---- writing ---- */

static int file_write(int directory, const char *name, struct str text, unsigned mode, struct err *err) {
        FD_AUTO fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);

        if (fd < 0)
                return err_sys(err, "cannot create a file");
        if (fd_write_all(fd, text, err) < 0)
                return -1;
        return fsync(fd) < 0 ? err_sys(err, "cannot write a file") : 0;
}

int file_replace(int directory, const char *name, struct str text, unsigned mode, struct err *err) {
        char id[ID_SIZE], temporary[ID_SIZE + 16];

        if (id_new(id, err) < 0)
                return -1;
        snprintf(temporary, sizeof(temporary), ".new-%s", id);
        if (file_write(directory, temporary, text, mode, err) < 0) {
                unlinkat(directory, temporary, 0);
                return -1;
        }
        if (renameat(directory, temporary, directory, name) < 0) {
                err_sys(err, "cannot replace %s", name);
                unlinkat(directory, temporary, 0);
                return -1;
        }
        return fsync(directory) < 0 ? err_sys(err, "cannot replace %s", name) : 0;
}
