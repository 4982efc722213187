#include "protect/survey_inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/route.h"
#include "base/sha256.h"
#include "policy/files.h"
#include "policy/unasked.h"

enum {
        COVERS_MAX = 1024, /* each costs a mount */
        PATHS_MAX = 1 << 16,
        HASHED_MAX = 1 << 20, /* bytes of a file that is known by its content, too */
};

/* ---- what stands at a name ---- */

static int no_memory(struct err *err) {
        return err_set(err, ERR_MEMORY, "out of memory");
}

/* A handle names a file for good, while the number of an inode is used again. Not every file system has them. */
static void identify(int directory, const char *name, const struct stat *status, struct protected_identity *ret) {
        struct {
                struct file_handle head;
                unsigned char bytes[MAX_HANDLE_SZ];
        } handle = { .head.handle_bytes = sizeof(ret->bytes) - 1 };
        int mount_id, flags = name[0] ? 0 : AT_EMPTY_PATH;

        if (name_to_handle_at(directory, name, &handle.head, &mount_id, flags) == 0) {
                ret->len = (unsigned char)(handle.head.handle_bytes + 1);
                ret->bytes[0] = (unsigned char)handle.head.handle_type;
                memcpy(ret->bytes + 1, handle.head.f_handle, handle.head.handle_bytes);
                return;
        }
        ret->len = sizeof(status->st_dev) + sizeof(status->st_ino);
        memcpy(ret->bytes, &status->st_dev, sizeof(status->st_dev));
        memcpy(ret->bytes + sizeof(status->st_dev), &status->st_ino, sizeof(status->st_ino));
}

static int read_link(struct arena *arena, int directory, const char *name, const char **ret, struct err *err) {
        char text[PATH_MAX];
        ssize_t len = readlinkat(directory, name, text, sizeof(text));

        if (len < 0 || (size_t)len >= sizeof(text))
                return err_sys(err, "cannot read the link %s", name);
        *ret = arena_dup(arena, str_from(text, (size_t)len));
        return *ret ? 0 : no_memory(err);
}

int protect_stat(int directory, const char *name, struct protected_path *ret, struct arena *arena, struct err *err) {
        struct protected_path item = { 0 };
        struct stat status;

        if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name[0] ? 0 : AT_EMPTY_PATH)) < 0) {
                if (errno == ENOENT || errno == ENOTDIR)
                        return 1;
                return err_sys(err, "%s", name);
        }
        item.directory = S_ISDIR(status.st_mode);
        identify(directory, name, &status, &item.identity);
        if (S_ISLNK(status.st_mode) && read_link(arena, directory, name, &item.link, err) < 0)
                return -1;
        *ret = item;
        return 0;
}

bool protect_same(const struct protected_path *a, const struct protected_path *b) {
        return a->directory == b->directory && !a->link == !b->link && (!a->link || strcmp(a->link, b->link) == 0) &&
               a->identity.len == b->identity.len && memcmp(a->identity.bytes, b->identity.bytes, a->identity.len) == 0;
}

/* ---- paths and lists ---- */

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
        size_t size = strlen(path) + strlen(name) + 2;
        char *joined = arena_bytes(s->arena, size);

        if (!joined)
                return no_memory(err);
        snprintf(joined, size, "%s/%s", path[1] ? path : "", name);
        *ret = joined;
        return 0;
}

/* Room is doubled whenever the count is a power of two, from 8 on; the arena forgets nothing, which is less than as much
 * again. */
int protected_add(struct protected_paths *paths, struct protected_path item, struct arena *arena, struct err *err) {
        struct protected_path *items = paths->items;

        if (protect_find(paths, item.path))
                return 0;
        if (paths->count >= PATHS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "more than %d protected paths", PATHS_MAX);
        if (!paths->count || (paths->count >= 8 && !(paths->count & (paths->count - 1)))) {
                items = arena_alloc(arena, (paths->count ? paths->count * 2 : 8) * sizeof(*items));
                if (!items)
                        return no_memory(err);
                if (paths->count)
                        memcpy(items, paths->items, paths->count * sizeof(*items));
                paths->items = items;
        }
        paths->items[paths->count++] = item;
        return 0;
}

int survey_add(struct survey *s, struct protected_paths *paths, struct protected_path item, struct err *err) {
        return protected_add(paths, item, s->arena, err);
}

static int tell(struct survey *s, const char *path, const char *why, struct err *err) {
        size_t size = strlen(path) + strlen(why) + 3;
        char *text = arena_bytes(s->arena, size);

        if (!text)
                return no_memory(err);
        snprintf(text, size, "%s: %s", path, why);
        if (s->found->notice_count < sizeof(s->found->notices) / sizeof(*s->found->notices))
                s->found->notices[s->found->notice_count++] = text;
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
        const char *root = !s->before ? survey_root(s, path) : NULL;

        if (!root)
                return 0;
        for (const char *p = path + strlen(root) + 1; p; p = *p ? p + 1 : NULL) {
                struct protected_path item = { 0 };
                struct stat status;

                p = strchrnul(p, '/');
                if (!*p && !itself)
                        break;
                item.path = *p ? arena_dup(s->arena, str_from(path, (size_t)(p - path))) : path;
                if (!item.path)
                        return no_memory(err);
                if (protect_find(&s->found->anchors, item.path))
                        continue;
                if (lstat(item.path, &status) < 0 || !S_ISDIR(status.st_mode))
                        break;
                item.directory = true;
                if (survey_add(s, &s->found->anchors, item, err) < 0)
                        return -1;
        }
        return 0;
}

int survey_anchor(struct survey *s, const char *path, struct err *err) {
        return anchor_path(s, path, true, err);
}

/* A file that the host replaces by one with the same content has not changed. */
static void hash_content(struct survey *s, struct protected_path *item) {
        struct sha256 sha;
        uint8_t digest[SHA256_SIZE];
        BUF_AUTO text;

        buf_init(&text, HASHED_MAX);
        if (file_read(AT_FDCWD, item->path, item->path, FILE_NO_LINK, &text, NULL) < 0)
                return;
        sha256_init(&sha);
        sha256_add(&sha, buf_str(&text));
        sha256_end(&sha, digest);
        item->content = str_from(arena_dup(s->arena, str_from((const char *)digest, sizeof(digest))), sizeof(digest));
        if (!item->content.ptr)
                item->content.len = 0;
}

/* `item` is complete but for its content. */
static int add_item(struct survey *s, struct protected_path item, bool covered, struct err *err) {
        struct protected_paths *list = covered ? &s->found->read_only : &s->found->checked;

        if (!covered && protect_find(&s->found->read_only, item.path))
                return 0;
        if (!item.directory && !item.link && item.kind != PROTECTED_CONFIG && item.kind != PROTECTED_TODO)
                hash_content(s, &item);
        if (covered && anchor_path(s, item.path, false, err) < 0)
                return -1;
        if (covered && !s->before && list->count >= COVERS_MAX) {
                if (!s->found->sealed &&
                    tell(s, s->workspace, "more to protect than can be mounted: read-only as a whole", err))
                        return -1;
                s->found->sealed = true;
                return 0;
        }
        return survey_add(s, list, item, err);
}

int survey_whole(struct survey *s, const char *path, const char *why, struct err *err) {
        struct protected_path item;

        if (protect_stat(AT_FDCWD, path, &item, s->arena, err) != 0)
                return err_context(err, "%s", path);
        item.path = path;
        if (!s->before && tell(s, path, why, err) < 0)
                return -1;
        return add_item(s, item, true, err);
}

/* Another command may put a link in its place: none is followed. */
static bool open_up(const char *path, const struct stat *status) {
        struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
        FD_AUTO fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
        char name[64];

        snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
        return fd >= 0 && (status->st_mode & S_IRWXU) != S_IRWXU && chmod(name, (status->st_mode & 07777) | S_IRWXU) == 0;
}

int survey_failed(struct survey *s, struct err *err) {
        if (!s->before || (err && err->code == ERR_MEMORY))
                return -1;
        if (!s->found->problem.code && err)
                s->found->problem = *err;
        return 0;
}

/* It was closed before the command, and is covered. */
static bool was_closed(const struct survey *s, const char *path) {
        const struct protected_path *was = s->before ? protect_find(&s->before->read_only, path) : NULL;
        struct protected_path is;

        return was && was->directory && protect_stat(AT_FDCWD, path, &is, s->arena, NULL) == 0 && protect_same(was, &is);
}

int survey_closed(struct survey *s, const char *path, struct err *err) {
        struct stat status;

        if (!survey_root(s, path))
                return 0; /* commands have the same user, and could not write there anyway */
        if (lstat(path, &status) < 0)
                return err_sys(err, "%s", path);
        if (status.st_uid != geteuid() || was_closed(s, path))
                return 0;
        if (s->before && open_up(path, &status))
                return 1;
        return survey_whole(s, path, "cannot be looked into: read-only while commands run", err);
}

/* ---- following ---- */

static bool knows_link(const struct survey *s, const char *path, const char *text) {
        const struct protected_path *was = protect_find(&s->before->read_only, path);

        return was && was->link && strcmp(was->link, text) == 0;
}

/* `route->done` is a symbolic link: it is noted, and its text is where to go on. */
static int route_link(struct survey *s, struct route *route, struct protected_path item, bool *ret_lost, struct err *err) {
        bool new = s->before &&survey_root(s, route->done) && !knows_link(s, route->done, item.link);

        if (survey_root(s, route->done) && (!new || s->on_known_way)) {
                item.path = arena_dup(s->arena, str_from(route->done, route->len));
                if (!item.path)
                        return no_memory(err);
                if (add_item(s, item, true, err) < 0)
                        return -1;
        }
        if (new) { /* where it leads is none of ours: what pointed here goes, or the link itself */
                *ret_lost = true;
                return 0;
        }
        route_up(route);
        *ret_lost = ++route->links > ROUTE_LINKS_MAX || !route_push(route, item.link);
        return 0;
}

/* `route->done` cannot be looked at. 1: try again. */
static int route_closed(struct survey *s, struct route *route, bool *ret_lost, struct err *err) {
        struct route up = *route;
        const char *path;

        *ret_lost = true;
        if (errno == ENAMETOOLONG || errno == ELOOP)
                return 0;
        if (errno != EACCES)
                return survey_root(s, route->done) ? err_sys(err, "%s", route->done) : 0;
        route_up(&up);
        path = arena_dup(s->arena, str_from(up.done, up.len));
        return path ? survey_closed(s, path, err) : no_memory(err);
}

/* One name further. Past the first that does not exist the rest is only text. */
static int route_step(struct survey *s, struct route *route, const char *name, struct place *place, bool *ret_lost,
                      struct err *err) {
        struct protected_path item = { 0 };
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
        got = protect_stat(AT_FDCWD, route->done, &item, s->arena, NULL);
        if (got < 0) {
                got = route_closed(s, route, ret_lost, err);
                if (got <= 0)
                        return got;
                *ret_lost = false;
                got = protect_stat(AT_FDCWD, route->done, &item, s->arena, err);
                if (got < 0)
                        return err_context(err, "%s", route->done);
        }
        if (got > 0)
                place->exists = false;
        else if (item.link)
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
                return no_memory(err);
        *ret = place;
        return 0;
}

int survey_protect(struct survey *s, const struct place *place, enum protected_kind kind, struct err *err) {
        struct protected_path item = { .path = place->path, .kind = kind };
        int got;

        if (!place->path || !survey_root(s, place->path))
                return 0;
        got = place->exists ? protect_stat(AT_FDCWD, place->path, &item, s->arena, err) : 1;
        if (got < 0)
                return err_context(err, "%s", place->path);
        item.path = place->path;
        item.kind = kind;
        if (got == 0)
                return add_item(s, item, true, err);
        if (anchor_path(s, place->path, false, err) < 0)
                return -1;
        return survey_add(s, &s->found->absent, item, err);
}

int survey_name(struct survey *s, int fd, const char *path, const char *name, enum protected_kind kind, bool covered,
                struct err *err) {
        struct protected_path item;
        struct place target;
        int got = protect_stat(fd, name, &item, s->arena, err);

        if (got != 0)
                return got < 0 ? err_context(err, "%s", path) : 0;
        if (survey_join(s, path, name, &item.path, err) < 0)
                return -1;
        item.kind = item.link ? PROTECTED_NAME : kind;
        if (!item.link || s->before) /* where known ones led is known, too */
                return add_item(s, item, covered || item.link, err);
        if (survey_resolve(s, path, name, &target, err) < 0) /* notes the link itself, too */
                return -1;
        return survey_protect(s, &target, kind, err);
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

        if (workspace[0] != '/')
                return err_set(err, ERR_INVALID, "the workspace is not an absolute path: %s", workspace);
        if (!realpath(workspace, real))
                return err_sys(err, "cannot find the workspace %s", workspace);
        s->found->workspace = s->workspace = arena_dup(s->arena, str_z(real));
        if (!s->workspace)
                return no_memory(err);
        s->workspace_fd = open(real, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return s->workspace_fd < 0 ? err_sys(err, "cannot open the workspace %s", real) : 0;
}

/* Names of several parts lead through directories that may be links. */
static int survey_row(struct survey *s, const struct unasked *row, struct err *err) {
        struct place place;
        int failed;

        if (!strchr(row->path, '/'))
                return survey_name(s, s->workspace_fd, s->workspace, row->path, PROTECTED_NAME, true, err);
        s->on_known_way = true;
        failed = survey_resolve(s, s->workspace, row->path, &place, err);
        s->on_known_way = false;
        if (failed)
                return -1;
        return place.path && place.exists ? survey_protect(s, &place, PROTECTED_NAME, err) : 0;
}

/* What configs and links led to before a command. Where they lead now does not count: those that are new go. */
static int survey_known_one(struct survey *s, const struct protected_path *known, struct err *err) {
        struct place place;

        if (protect_find(&s->found->read_only, known->path) || protect_find(&s->found->checked, known->path))
                return 0;
        if (survey_resolve(s, "/", known->path, &place, err) < 0)
                return -1;
        if (!place.path || !place.exists)
                return 0;
        if (survey_protect(s, &place, known->kind, err) < 0)
                return -1;
        return survey_content(s, place.path, known->kind, err);
}

static int survey_known(struct survey *s, const struct protected_paths *known, struct err *err) {
        int failed = 0;

        s->on_known_way = true;
        for (size_t i = 0; !failed && i < known->count; i++)
                if (survey_known_one(s, &known->items[i], err) < 0)
                        failed = survey_failed(s, err);
        s->on_known_way = false;
        return failed;
}

static int survey_all_known(struct survey *s, const struct protection *before, struct err *err) {
        /* a pointer may lead elsewhere by now */
        for (size_t i = 0; i < before->git_write.count; i++)
                if (survey_git_dir(s, before->git_write.items[i].path, s->workspace, false, err) < 0 &&
                    survey_failed(s, err) < 0)
                        return -1;
        if (survey_known(s, &before->read_only, err) < 0 || survey_known(s, &before->checked, err) < 0)
                return -1;
        return survey_known(s, &before->absent, err);
}

static int survey_rows(struct survey *s, struct err *err) {
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_WORKSPACE));)
                if (survey_row(s, row, err) < 0 && survey_failed(s, err) < 0)
                        return -1;
        return 0;
}

int protect_survey(const char *workspace, const char *home, const struct protection *known, struct arena *arena,
                   struct protection *ret, struct err *err) {
        struct protection found = { 0 };
        struct survey s = { .arena = arena, .home = home, .workspace_fd = -1, .found = &found };
        int failed = 0;

        if (open_workspace(&s, workspace, err) < 0 || survey_rows(&s, err) < 0 || survey_global(&s, err) < 0 ||
            survey_git(&s, err) < 0 || survey_above(&s, err) < 0 || (known && survey_known(&s, &known->read_only, err) < 0))
                failed = -1;
        fd_close(s.workspace_fd);
        if (failed)
                return -1;
        drop_needless_anchors(&found);
        *ret = found;
        return 0;
}

int protect_survey_after(const char *workspace, const char *home, const struct protection *before, struct arena *arena,
                         struct protection *ret, struct err *err) {
        struct protection found = { .git_write = before->git_write };
        struct survey s = { .arena = arena, .before = before, .home = home, .workspace_fd = -1, .found = &found };
        int failed = 0;

        if (open_workspace(&s, workspace, err) < 0 || survey_rows(&s, err) < 0 ||
            (survey_git(&s, err) < 0 && survey_failed(&s, err) < 0) || survey_all_known(&s, before, err) < 0)
                failed = -1;
        fd_close(s.workspace_fd);
        if (!failed)
                *ret = found;
        return failed;
}
