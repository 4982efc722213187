#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "sandbox/host_parts.h"

static int lost(int error) {
        errno = error;
        return 1;
}

int host_follow(struct host *host, struct arena *arena, const char *key, const char *path, char ret_real[static PATH_MAX],
                struct err *err) {
        char name[NAME_MAX + 1], text[PATH_MAX];
        struct route route;
        bool too_long = false;

        route.done[0] = route.rest[0] = 0;
        route.len = route.links = 0;
        if (path[0] != '/') {
                if (!getcwd(route.done, sizeof(route.done)))
                        return 1;
                route.len = strlen(route.done) > 1 ? strlen(route.done) : 0;
        }
        if (!route_push(&route, path))
                return lost(ENAMETOOLONG);
        while (route_next(&route, name, &too_long)) {
                ssize_t len;

                if (too_long)
                        return lost(ENAMETOOLONG);
                if (strcmp(name, ".") == 0)
                        continue;
                if (strcmp(name, "..") == 0) {
                        route_up(&route);
                        continue;
                }
                route_down(&route, name);
                len = readlink(route.done, text, sizeof(text) - 1);
                if (len < 0 && errno == EINVAL) /* it is there, and no link */
                        continue;
                if (len < 0) {
                        memcpy(ret_real, route.done, route.len + 1);
                        return 1;
                }
                text[len] = 0;
                if (host_note_link(host, arena, (struct host_link){ .key = key, .path = path, .at = route.done }, err) < 0)
                        return -1;
                route_up(&route);
                if (++route.links > ROUTE_LINKS_MAX)
                        return lost(ELOOP);
                if (!route_push(&route, text))
                        return lost(ENAMETOOLONG);
        }
        if (route.len)
                memcpy(ret_real, route.done, route.len + 1);
        else
                memcpy(ret_real, "/", 2);
        return 0;
}
