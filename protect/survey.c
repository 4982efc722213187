#include "protect/survey_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "policy/unasked.h"
#include "protect/route.h"

enum { PATHS_MAX = 4096 }; /* of one kind; each costs a mount */

/* ---- names and paths ---- */

int protect_stat(int directory, const char *name, struct protected_path *ret, bool *ret_link, struct err *err) {
        struct statx status;
        int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name[0] ? 0 : AT_EMPTY_PATH);

        if (statx(directory, name, flags, STATX_TYPE | STATX_INO | STATX_BTIME, &status) < 0) {
                if (errno == ENOENT || errno == ENOTDIR)
                        return 1;
                return err_sys(err, "%s", name);
        }
        *ret = (struct protected_path){
                .directory = S_ISDIR(status.stx_mode),
                .device = makedev(status.stx_dev_major, status.stx_dev_minor),
                .inode = status.stx_ino,
        };
        if (status.stx_mask & STATX_BTIME)
                ret->born = status.stx_btime.tv_sec <= 0
                                    ? 0
                                    : status.stx_btime.tv_sec * INT64_C(1000000000) + status.stx_btime.tv_nsec;
        *ret_link = S_ISLNK(status.stx_mode);
        return 0;
}

bool protect_same(const struct protected_path *a, const struct protected_path *b) {
        return a->inode == b->inode && a->born == b->born && a->directory == b->directory;
}

const struct protected_path *protect_find(const struct protected_paths *paths, const char *path) {
        for (size_t i = paths->count; i-- > 0;) /* what is looked for was often added last */
                if (strcmp(paths->items[i].path, path) == 0)
                        return &paths->items[i];
        return NULL;
}

bool path_below(const char *path, const char *root) {
        size_t len = strlen(root);

        if (len == 1) /* the root of all */
                return path[0] == '/' && path[1];
        return strncmp(path, root, len) == 0 && path[len] == '/' && path[len + 1];
}

int survey_join(struct survey *s, const char *path, const char *name, const char **ret, struct err *err) {
        size_t path_len = strlen(path), name_len = strlen(name), slash = path_len > 1;
        char *joined = arena_bytes(s->arena, path_len + slash + name_len + 1);

        if (!joined)
                return err_set(err, ERR_MEMORY, "out of memory");
        memcpy(joined, path, path_len);
        memcpy(joined + path_len, "/", slash);
        memcpy(joined + path_len + slash, name, name_len + 1);
        *ret = joined;
        return 0;
}

/* ---- lists ---- */

/* Room is doubled whenever the count is a power of two, from 8 on; the arena forgets nothing, which is less than as much
 * again. */
static int grow(struct survey *s, struct protected_paths *paths, struct err *err) {
        struct protected_path *items;

        if (paths->count >= PATHS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "more than %d protected paths in %s", PATHS_MAX, s->workspace);
        if (paths->count && (paths->count < 8 || (paths->count & (paths->count - 1))))
                return 0;
        items = arena_alloc(s->arena, (paths->count ? paths->count * 2 : 8) * sizeof(*items));
        if (!items)
                return err_set(err, ERR_MEMORY, "out of memory");
        if (paths->count)
                memcpy(items, paths->items, paths->count * sizeof(*items));
        paths->items = items;
        return 0;
}

int survey_add(struct survey *s, struct protected_paths *paths, struct protected_path item, struct err *err) {
        if (protect_find(paths, item.path))
                return 0;
        if (grow(s, paths, err) < 0)
                return -1;
        paths->items[paths->count++] = item;
        return 0;
}

const char *survey_root(const struct survey *s, const char *path) {
        if (path_below(path, s->workspace))
                return s->workspace;
        for (size_t i = 0; i < s->found->git_write.count; i++)
                if (path_below(path, s->found->git_write.items[i].path))
                        return s->found->git_write.items[i].path;
        return NULL;
}

/* Up to and without the last `/` of the path when not `itself`. Those that do not exist need no anchor. */
static int anchor_path(struct survey *s, const char *path, bool itself, struct err *err) {
        const char *root = survey_root(s, path);

        if (!root)
                return 0;
        for (const char *p = path + strlen(root) + 1; p; p = *p ? p + 1 : NULL) {
                struct protected_path item;
                const char *part;
                bool is_link;

                p = strchrnul(p, '/');
                if (!*p && !itself)
                        break;
                part = *p ? arena_dup(s->arena, str_from(path, (size_t)(p - path))) : path;
                if (!part)
                        return err_set(err, ERR_MEMORY, "out of memory");
                if (protect_find(&s->found->anchors, part))
                        continue;
                if (protect_stat(AT_FDCWD, part, &item, &is_link, NULL) != 0 || !item.directory)
                        break;
                item.path = part;
                if (survey_add(s, &s->found->anchors, item, err) < 0)
                        return -1;
        }
        return 0;
}

int survey_anchor(struct survey *s, const char *path, struct err *err) {
        return anchor_path(s, path, true, err);
}

/* `item` is complete. */
static int add_read_only(struct survey *s, struct protected_path item, struct err *err) {
        if (anchor_path(s, item.path, false, err) < 0)
                return -1;
        return survey_add(s, &s->found->read_only, item, err);
}

/* ---- following ---- */

static int read_link(struct survey *s, int fd, const char *name, const char **ret, struct err *err) {
        char text[PATH_MAX];
        ssize_t len = readlinkat(fd, name, text, sizeof(text));

        if (len < 0 || (size_t)len >= sizeof(text))
                return err_sys(err, "cannot read the link %s", name);
        *ret = arena_dup(s->arena, str_from(text, (size_t)len));
        return *ret ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

/* `route->done` is a symbolic link: it is noted, and its text is where to go on. */
static int route_link(struct survey *s, struct route *route, struct protected_path item, bool *ret_lost, struct err *err) {
        if (read_link(s, AT_FDCWD, route->done, &item.link, err) < 0)
                return -1;
        if (survey_root(s, route->done)) {
                item.path = arena_dup(s->arena, str_from(route->done, route->len));
                if (!item.path)
                        return err_set(err, ERR_MEMORY, "out of memory");
                if (add_read_only(s, item, err) < 0)
                        return -1;
        }
        route_up(route);
        *ret_lost = ++route->links > ROUTE_LINKS_MAX || !route_push(route, item.link);
        return 0;
}

/* One name further. Past the first that does not exist the rest is only text. */
static int route_step(struct survey *s, struct route *route, const char *name, struct place *place, bool *ret_lost,
                      struct err *err) {
        struct protected_path item = { 0 };
        bool is_link = false;
        int got;

        if (strcmp(name, ".") == 0)
                return 0;
        if (strcmp(name, "..") == 0) {
                route_up(route);
                return 0;
        }
        route_down(route, name);
        if (!place->exists)
                return 0;
        got = protect_stat(AT_FDCWD, route->done, &item, &is_link, NULL);
        if (got < 0)
                *ret_lost = true; /* not even we may look there */
        else if (got > 0)
                place->exists = false;
        else if (is_link)
                return route_link(s, route, item, ret_lost, err);
        place->directory = place->exists && item.directory;
        return 0;
}

int survey_resolve(struct survey *s, const char *from, const char *path, struct place *ret, struct err *err) {
        struct route route = { .len = 0 };
        struct place place = { .exists = true, .directory = true };
        char name[NAME_MAX + 1];
        bool lost = false;

        *ret = (struct place){ 0 };
        if (strlen(from) >= sizeof(route.done) || !route_push(&route, path))
                return 0;
        if (path[0] != '/') { /* `from` is real, so nothing has to be looked up for it */
                route.len = strlen(from) > 1 ? strlen(from) : 0;
                memcpy(route.done, from, route.len + 1);
        }
        while (!lost && route_next(&route, name, &lost))
                if (!lost && route_step(s, &route, name, &place, &lost, err) < 0)
                        return -1;
        if (lost)
                return 0;
        place.path = route.len ? arena_dup(s->arena, str_from(route.done, route.len)) : "/";
        if (!place.path)
                return err_set(err, ERR_MEMORY, "out of memory");
        *ret = place;
        return 0;
}

int survey_protect(struct survey *s, const struct place *place, struct err *err) {
        struct protected_path item = { .path = place->path };
        bool is_link;
        int got;

        if (!place->path || !survey_root(s, place->path))
                return 0;
        got = place->exists ? protect_stat(AT_FDCWD, place->path, &item, &is_link, err) : 1;
        if (got < 0)
                return err_context(err, "%s", place->path);
        item.path = place->path;
        if (got == 0)
                return add_read_only(s, item, err);
        item = (struct protected_path){ .path = place->path };
        if (anchor_path(s, place->path, false, err) < 0)
                return -1;
        return survey_add(s, &s->found->absent, item, err);
}

int survey_name(struct survey *s, int fd, const char *path, const char *name, struct err *err) {
        struct protected_path item;
        struct place target;
        bool is_link;
        int got = protect_stat(fd, name, &item, &is_link, err);

        if (got != 0)
                return got < 0 ? err_context(err, "%s", path) : 0;
        if (survey_join(s, path, name, &item.path, err) < 0)
                return -1;
        if (!is_link)
                return add_read_only(s, item, err);
        if (survey_resolve(s, path, name, &target, err) < 0) /* notes the link itself, too */
                return -1;
        return survey_protect(s, &target, err);
}

/* ---- the whole ---- */

/* Nothing below a read-only directory can be renamed, and a writable mount there would undo the protection. */
static void drop_needless_anchors(struct protection *found) {
        size_t kept = 0;

        for (size_t i = 0; i < found->anchors.count; i++) {
                const struct protected_path *anchor = &found->anchors.items[i];
                bool needed = true;

                for (size_t j = 0; needed && j < found->read_only.count; j++) {
                        const struct protected_path *row = &found->read_only.items[j];

                        needed = !row->directory ||
                                 (strcmp(anchor->path, row->path) != 0 && !path_below(anchor->path, row->path));
                }
                if (needed)
                        found->anchors.items[kept++] = *anchor;
        }
        found->anchors.count = kept;
}

static int open_workspace(struct survey *s, const char *workspace, struct err *err) {
        char real[PATH_MAX];
        bool is_link;

        if (workspace[0] != '/')
                return err_set(err, ERR_INVALID, "the workspace is not an absolute path: %s", workspace);
        if (!realpath(workspace, real))
                return err_sys(err, "cannot find the workspace %s", workspace);
        s->workspace = arena_dup(s->arena, str_z(real));
        if (!s->workspace)
                return err_set(err, ERR_MEMORY, "out of memory");
        s->workspace_fd = open(real, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (s->workspace_fd < 0)
                return err_sys(err, "cannot open the workspace %s", real);
        if (protect_stat(s->workspace_fd, "", &s->found->workspace, &is_link, err) != 0)
                return err_context(err, "%s", real);
        s->found->workspace.path = s->workspace;
        return 0;
}

/* A path of several names may lead through a link, which is protected then as well. */
static int survey_row(struct survey *s, const struct unasked *row, struct err *err) {
        struct place place;

        if (!strchr(row->path, '/'))
                return survey_name(s, s->workspace_fd, s->workspace, row->path, err);
        if (survey_resolve(s, s->workspace, row->path, &place, err) < 0)
                return -1;
        return place.path && place.exists ? survey_protect(s, &place, err) : 0;
}

int protect_survey(const char *workspace, const char *home, struct arena *arena, struct protection *ret, struct err *err) {
        struct protection found = { 0 };
        struct survey s = { .arena = arena, .home = home, .workspace_fd = -1, .found = &found };
        int failed = open_workspace(&s, workspace, err);

        for (const struct unasked *row = NULL; !failed && (row = unasked_next(row, UNASKED_WORKSPACE));)
                failed = survey_row(&s, row, err);
        if (!failed)
                failed = survey_git(&s, err);
        fd_close(s.workspace_fd);
        if (failed)
                return -1;
        drop_needless_anchors(&found);
        *ret = found;
        return 0;
}
