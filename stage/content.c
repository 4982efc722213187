#include "stage/content.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"

enum { CHUNK = 16 << 10 };

/* As much as there is room for, or up to the end. */
static ssize_t read_full(int fd, char *room, size_t size) {
        size_t got = 0;

        while (got < size) {
                ssize_t len = read(fd, room + got, size - got);

                if (len < 0 && errno == EINTR)
                        continue;
                if (len < 0)
                        return -1;
                if (len == 0)
                        break;
                got += (size_t)len;
        }
        return (ssize_t)got;
}

static int open_file(int directory, const char *name) {
        return openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int same_file(const struct stage_sides *sides, bool *ret, struct err *err) {
        FD_AUTO before = open_file(sides->base, sides->name), after = open_file(sides->upper, sides->name);
        char one[CHUNK], other[CHUNK];
        ssize_t len, other_len;

        *ret = false;
        if (before < 0 || after < 0)
                return errno == EACCES || errno == EPERM ? 0 : err_sys(err, "%s", sides->path);
        do {
                len = read_full(before, one, sizeof(one));
                other_len = read_full(after, other, sizeof(other));
                if (len < 0 || other_len < 0)
                        return err_sys(err, "%s", sides->path);
                if (len != other_len || memcmp(one, other, (size_t)len) != 0)
                        return 0;
        } while (len > 0);
        *ret = true;
        return 0;
}

static int same_link(const struct stage_sides *sides, bool *ret, struct err *err) {
        char before[PATH_MAX], after[PATH_MAX];
        ssize_t len = readlinkat(sides->base, sides->name, before, sizeof(before));
        ssize_t other_len = readlinkat(sides->upper, sides->name, after, sizeof(after));

        if (len < 0 || other_len < 0)
                return err_sys(err, "%s", sides->path);
        *ret = len == other_len && memcmp(before, after, (size_t)len) == 0;
        return 0;
}

int stage_same_content(const struct stage_sides *sides, const struct stat *before, const struct stat *after, bool *ret,
                       struct err *err) {
        *ret = (before->st_mode & S_IFMT) == (after->st_mode & S_IFMT) && before->st_rdev == after->st_rdev;
        if (*ret && S_ISREG(after->st_mode)) {
                *ret = before->st_size == after->st_size;
                return *ret ? same_file(sides, ret, err) : 0;
        }
        return *ret && S_ISLNK(after->st_mode) ? same_link(sides, ret, err) : 0;
}
