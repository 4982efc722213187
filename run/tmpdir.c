#include "run/tmpdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "base/tree.h"

#define TMPDIR_PREFIX ".bailey-tmp-"

enum { TRIES = 100 };

#define REMOVE_FOR (5 * TIME_SECOND)

static void remove_directory(const char *name) {
        FD_AUTO tmp = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);

        if (tmp >= 0)
                remove_tree(tmp, name, time_monotonic() + REMOVE_FOR, NULL);
}

/* Those of this user whose lock is free. */
static void remove_left(void) {
        DIR *tmp = opendir("/tmp");
        struct dirent *entry;

        while (tmp && (entry = readdir(tmp))) {
                FD_AUTO fd = -1;
                struct stat st;

                if (strncmp(entry->d_name, TMPDIR_PREFIX, sizeof(TMPDIR_PREFIX) - 1) != 0)
                        continue;
                fd = openat(dirfd(tmp), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() || flock(fd, LOCK_EX | LOCK_NB) < 0)
                        continue;
                remove_directory(entry->d_name);
        }
        if (tmp)
                closedir(tmp);
}

/* Until it is locked, another bailey takes it for one that was left behind. */
static int make_locked(char *path) {
        FD_AUTO fd = -1;
        struct stat st;

        if (!mkdtemp(path))
                return -1;
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &st) < 0)
                return -1;
        if (st.st_nlink == 0) {
                errno = ENOENT;
                return -1;
        }
        return TAKE_FD(fd);
}

int tmpdir_make(struct tmpdir *tmpdir, struct arena *arena, const char **ret_path, struct err *err) {
        char path[sizeof("/tmp/" TMPDIR_PREFIX "XXXXXX")], real[PATH_MAX];
        int fd = -1;

        remove_left();
        for (int tries = 0; tries < TRIES && fd < 0; tries++) {
                memcpy(path, "/tmp/" TMPDIR_PREFIX "XXXXXX", sizeof(path));
                fd = make_locked(path);
                if (fd < 0 && errno != ENOENT && errno != EWOULDBLOCK)
                        break;
        }
        if (fd < 0)
                return err_sys(err, "%s", path);
        tmpdir->fd = fd;
        tmpdir->path = path; /* until it is known by its real name, for tmpdir_remove() */
        if (!realpath(path, real)) {
                err_sys(err, "%s", path);
                tmpdir_remove(tmpdir);
                tmpdir->path = NULL;
                return -1;
        }
        tmpdir->path = arena_dup(arena, str_z(real)); /* /tmp of macOS is a link, and rules are about real paths */
        if (!tmpdir->path)
                return err_memory(err);
        *ret_path = tmpdir->path;
        return 0;
}

void tmpdir_remove(struct tmpdir *tmpdir) {
        if (tmpdir->fd < 0 || !tmpdir->path)
                return;
        remove_directory(strrchr(tmpdir->path, '/') + 1);
        fd_close(TAKE_FD(tmpdir->fd));
}
