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

/* Appends the components of `path` to what is in `out`, which is absolute, begins with ~, or is relative. */
size_t path_append(char *out, size_t len, struct str path) {
        while (path.len) {
                size_t end = str_find(path, '/');
                struct str part = str_take(path, end);

                path = str_skip(path, end + 1);
                if (part.len == 0 || str_is(part, "."))
                        continue;
                if (str_is(part, "..")) {
                        size_t cut = len;

                        while (cut > 0 && out[cut - 1] != '/')
                                cut--;
                        if (len == 1 && out[0] == '/')
                                continue;
                        if (len > 0 && !str_is(str_from(out + cut, len - cut), "..") && !(cut == 0 && out[0] == '~')) {
                                len = cut > 1 ? cut - 1 : cut;
                                continue;
                        }
                }
                if (len > 0 && out[len - 1] != '/')
                        out[len++] = '/';
                memcpy(out + len, part.ptr, part.len);
                len += part.len;
        }
        return len;
}

/* ---- patterns ---- */

/* * and ? stay inside a component, ** does not. Goes back to the last star only, so it is quadratic at worst, on short
 * texts. */
bool path_glob_here(struct str pattern, struct str text) {
        size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;
        bool deep = false;

        while (t < text.len) {
                if (p < pattern.len && pattern.ptr[p] == '*') {
                        deep = p + 1 < pattern.len && pattern.ptr[p + 1] == '*';
                        p += deep ? 2 : 1;
                        if (deep && p < pattern.len && pattern.ptr[p] == '/' &&
                            path_glob_here(str_skip(pattern, p + 1), str_skip(text, t)))
                                return true; /* a/ ** /b also matches a/b */
                        star = p;
                        mark = t;
                } else if (p < pattern.len &&
                           (pattern.ptr[p] == text.ptr[t] || (pattern.ptr[p] == '?' && text.ptr[t] != '/'))) {
                        p++;
                        t++;
                } else if (star != SIZE_MAX && (deep || text.ptr[mark] != '/')) {
                        p = star;
                        t = ++mark;
                } else {
                        return false;
                }
        }
        while (p < pattern.len && pattern.ptr[p] == '*')
                p++;
        return p == pattern.len;
}

/* In the directory that `text` is relative to, or in any below it. */
bool path_glob_anywhere(struct str pattern, struct str text) {
        for (size_t i = 0; i < text.len; i++)
                if ((i == 0 || text.ptr[i - 1] == '/') &&
                    (pattern.ptr[0] == text.ptr[i] || pattern.ptr[0] == '*' || pattern.ptr[0] == '?') &&
                    path_glob_here(pattern, str_skip(text, i)))
                        return true;
        return false;
}

bool path_glob(struct str pattern, struct str text) {
        return str_starts(pattern, STR("**/")) ? path_glob_anywhere(str_skip(pattern, 3), text) : path_glob_here(pattern, text);
}
