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

struct path_to_fd path_to_fd(int fd) {
        struct path_to_fd path;

        snprintf(path.text, sizeof(path.text), "/proc/self/fd/%d", fd);
        return path;
}

bool path_of_fd(int fd, char ret[static PATH_MAX]) {
        ssize_t len = readlink(path_to_fd(fd).text, ret, PATH_MAX - 1);

        if (len <= 0)
                return false;
        ret[len] = '\0';
        return true;
}

bool route_push(struct route *route, const char *path) {
        size_t len = strlen(path), rest = strlen(route->rest);

        if (len + 1 + rest >= sizeof(route->rest))
                return false;
        memmove(route->rest + len + 1, route->rest, rest + 1);
        memcpy(route->rest, path, len);
        route->rest[len] = '/';
        if (path[0] == '/')
                route->len = 0;
        return true;
}

bool route_next(struct route *route, char ret_name[static NAME_MAX + 1], bool *ret_too_long) {
        const char *start = route->rest + strspn(route->rest, "/"), *end = start + strcspn(start, "/");
        size_t len = (size_t)(end - start);

        if (len == 0)
                return false;
        *ret_too_long = len > NAME_MAX || route->len + 1 + len >= sizeof(route->done);
        if (*ret_too_long)
                return true;
        memcpy(ret_name, start, len);
        ret_name[len] = '\0';
        memmove(route->rest, end, strlen(end) + 1);
        return true;
}

void route_up(struct route *route) {
        while (route->len > 0 && route->done[--route->len] != '/')
                ;
        route->done[route->len] = '\0';
}

void route_down(struct route *route, const char *name) {
        size_t len = strlen(name);

        route->done[route->len] = '/';
        memcpy(route->done + route->len + 1, name, len + 1);
        route->len += 1 + len;
}
