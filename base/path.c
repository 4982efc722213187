#include "base/path.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What of `path` is behind `dir`: "" or "/..."; NULL: it is elsewhere. */
static const char *behind(const char *path, const char *dir) {
        size_t len = strlen(dir);

        while (len > 0 && dir[len - 1] == '/')
                len--;
        if (strncmp(path, dir, len) != 0 || (path[len] && path[len] != '/'))
                return NULL;
        return path + len;
}

bool path_below(const char *path, const char *dir) {
        const char *rest = behind(path, dir);

        return rest && rest[0] && rest[1];
}

bool path_within(const char *path, const char *dir) {
        return behind(path, dir) != NULL;
}

bool path_of_fd(int fd, char ret[static PATH_MAX]) {
        char link[64];
        ssize_t len;

        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        len = readlink(link, ret, PATH_MAX - 1);
        if (len <= 0)
                return false;
        ret[len] = '\0';
        return true;
}
