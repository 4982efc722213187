#include "base/route.h"

#include <string.h>

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
