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
#include "base/path.h"
#include "base/sha256.h"
#include "base/tree.h"
#include "policy/unasked.h"

enum {
        COVERS_MAX = 1024, /* each costs a mount */
        PATHS_MAX = 1 << 16,
};

/* ---- what stands at a name ---- */

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
        return *ret ? 0 : err_memory(err);
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
        for (size_t i = paths->count; i-- > 0;) /* the path was often added last */
                if (strcmp(paths->items[i].path, path) == 0)
                        return &paths->items[i];
        return NULL;
}

int protected_add(struct protected_paths *paths, struct protected_path item, struct arena *arena, struct err *err) {
        if (protect_find(paths, item.path))
                return 0;
        if (paths->count >= PATHS_MAX)
                return err_set(err, ERR_TOO_COMPLEX, "more than %d protected paths", PATHS_MAX);
        if (!arena_room(arena, &paths->items, paths->count, &paths->room, sizeof(*paths->items)))
                return err_memory(err);
        paths->items[paths->count++] = item;
        return 0;
}

int path_open(const char *path, int flags) {
        struct open_how how = { .flags = (unsigned)flags | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };

        return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

bool path_there(int fd, const char *name) {
        struct stat status;

        return fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) == 0;
}

/* ---- a survey ---- */

void survey_failed(struct survey *s) {
        if (!s->found->problem.code || s->last.code == ERR_MEMORY)
                s->found->problem = s->last;
        s->failed = s->failed || !s->before || s->last.code == ERR_MEMORY;
}

const char *survey_keep(struct survey *s, struct str text) {
        const char *copy = arena_dup(s->arena, text);

        if (!copy)
                survey_error(s, ERR_MEMORY, "out of memory");
        return copy ? copy : "";
}

static struct str keep_bytes(struct survey *s, struct str bytes) {
        const char *copy = survey_keep(s, bytes);

        return s->failed ? str_from(NULL, 0) : str_from(copy, bytes.len);
}

const char *survey_join(struct survey *s, const char *path, const char *name) {
        size_t size = strlen(path) + strlen(name) + 2;
        char *joined = arena_bytes(s->arena, size);

        if (joined)
                snprintf(joined, size, "%s/%s", strcmp(path, "/") != 0 ? path : "", name);
        else
                survey_error(s, ERR_MEMORY, "out of memory");
        return joined ? joined : "";
}

static void tell(struct survey *s, const char *path, const char *why) {
        char text[PATH_MAX + 128];

        snprintf(text, sizeof(text), "%s: %s", path, why);
        if (s->found->notice_count < sizeof(s->found->notices) / sizeof(*s->found->notices))
                s->found->notices[s->found->notice_count++] = survey_keep(s, str_z(text));
}

const char *survey_root(const struct survey *s, const char *path) {
        if (path_below(path, s->workspace))
                return s->workspace;
        for (size_t i = 0; i < s->found->git_write.count; i++)
                if (path_below(path, s->found->git_write.items[i].path))
                        return s->found->git_write.items[i].path;
        return NULL;
}

const struct protected_path *survey_find(const struct protection *found, const char *path) {
        const struct protected_path *item = protect_find(&found->read_only, path);

        return item ? item : protect_find(&found->checked, path);
}

bool survey_add(struct survey *s, struct protected_paths *paths, struct protected_path item) {
        if (!s->failed && protected_add(paths, item, s->arena, &s->last) == 0)
                return true;
        if (!s->failed)
                survey_failed(s);
        return false;
}

/* The directories above the path, and with `itself` what it is. Those that do not exist need no anchor. */
static void add_anchors(struct survey *s, const char *path, bool itself) {
        const char *root = !s->before ? survey_root(s, path) : NULL;

        for (const char *p = root ? path + strlen(root) + 1 : NULL; p; p = *p ? p + 1 : NULL) {
                struct protected_path item = { .directory = true };
                struct stat status;

                p = strchrnul(p, '/');
                if (!*p && !itself)
                        break;
                item.path = *p ? survey_keep(s, str_from(path, (size_t)(p - path))) : path;
                if (protect_find(&s->found->anchors, item.path))
                        continue;
                if (lstat(item.path, &status) < 0 || !S_ISDIR(status.st_mode))
                        break;
                survey_add(s, &s->found->anchors, item);
        }
}

void survey_anchor(struct survey *s, const char *path) {
        add_anchors(s, path, true);
}

struct str survey_read(struct survey *s, int fd, const char *name, size_t max, enum file_care care) {
        BUF_AUTO text;
        struct err why = { 0 };

        buf_init(&text, max);
        if (file_read(fd, name, name, care, &text, &why) == 0)
                return keep_bytes(s, buf_str(&text));
        /* what git could not read either; after a command nothing that cannot be read counts as harmless */
        if (why.sys != ENOENT && why.sys != ENOTDIR && why.sys != ELOOP && why.sys != EACCES && why.sys != EISDIR &&
            why.sys != ENXIO && why.code != ERR_INVALID && why.code != ERR_NOT_FOUND &&
            (!s->before || why.code == ERR_MEMORY)) {
                s->last = why;
                survey_failed(s);
        }
        return str_from(NULL, 0);
}

/* Of a config and a list of `git rebase` the text, as what is new in it may be harmless; of others a hash: a file that the host
 * replaces by one with the same content has not changed. */
static struct str content_of(struct survey *s, const struct protected_path *item) {
        struct sha256 sha;
        uint8_t digest[SHA256_SIZE];
        BUF_AUTO text;

        buf_init(&text, SURVEY_FILE_MAX);
        if (item->directory || item->link)
                return str_from(NULL, 0);
        if (item->kind == PROTECTED_CONFIG || item->kind == PROTECTED_TODO)
                return survey_read(s, AT_FDCWD, item->path, SURVEY_FILE_MAX, FILE_NO_LINK);
        if (file_read(AT_FDCWD, item->path, item->path, FILE_NO_LINK, &text, NULL) < 0)
                return str_from(NULL, 0);
        sha256_init(&sha);
        sha256_add(&sha, buf_str(&text));
        sha256_end(&sha, digest);
        return keep_bytes(s, str_from((const char *)digest, sizeof(digest)));
}

/* The one place where something becomes protected. `item` is complete but for its content. */
static void add_item(struct survey *s, struct protected_path item, bool covered) {
        struct protected_paths *list = covered ? &s->found->read_only : &s->found->checked;

        if (protect_find(list, item.path) || (!covered && protect_find(&s->found->read_only, item.path)))
                return;
        item.content = content_of(s, &item);
        if (covered)
                add_anchors(s, item.path, false);
        if (!covered || s->before || list->count < COVERS_MAX) {
                survey_add(s, list, item);
        } else if (!s->found->sealed) {
                tell(s, s->workspace, "too many protected paths: the whole workspace is read-only while commands run");
                s->found->sealed = true;
        }
}

void survey_whole(struct survey *s, const char *path, const char *why) {
        struct protected_path item;
        int got = protect_stat(AT_FDCWD, path, &item, s->arena, &s->last);

        if (got < 0)
                survey_failed(s);
        if (got != 0)
                return;
        item.path = path;
        if (!s->before)
                tell(s, path, why);
        add_item(s, item, true);
}

/* Another command may put a link in its place: none is followed. */
static bool open_up(const char *path, const struct stat *status) {
        FD_AUTO fd = path_open(path, O_PATH);

        return fd >= 0 && (status->st_mode & S_IRWXU) != S_IRWXU && tree_chmod(fd, status->st_mode | S_IRWXU) == 0;
}

/* It was closed before the command, and is covered. */
static bool was_closed(const struct survey *s, const char *path) {
        const struct protected_path *was = s->before ? protect_find(&s->before->read_only, path) : NULL;
        struct protected_path is;

        return was && was->directory && protect_stat(AT_FDCWD, path, &is, s->arena, NULL) == 0 && protect_same(was, &is);
}

bool survey_opened(struct survey *s, const char *path) {
        struct stat status;

        if (!survey_root(s, path))
                return false; /* commands have the same user, and could not write there anyway */
        if (lstat(path, &status) < 0) {
                survey_sys(s, "%s", path);
                return false;
        }
        if (status.st_uid != geteuid() || was_closed(s, path))
                return false;
        if (s->before && open_up(path, &status))
                return true;
        survey_whole(s, path, "cannot be searched: read-only while commands run");
        return false;
}

/* ---- following ---- */

static bool knows_link(const struct survey *s, const char *path, const char *text) {
        const struct protected_path *was = protect_find(&s->before->read_only, path);

        return was && was->link && strcmp(was->link, text) == 0;
}

/* `route->done` is a symbolic link: notes it, and goes on with its text. Returns false if that leads nowhere. */
static bool route_link(struct survey *s, struct route *route, struct protected_path item) {
        bool ours = survey_root(s, route->done), known = !s->before || !ours || knows_link(s, route->done, item.link);

        if (ours && (known || s->on_known_way)) {
                item.path = survey_keep(s, str_from(route->done, route->len));
                add_item(s, item, true);
        }
        if (!known) /* where it leads is none of ours: what pointed here goes, or the link itself */
                return false;
        route_up(route);
        return ++route->links <= ROUTE_LINKS_MAX && route_push(route, item.link);
}

/* Looks at `route->done`. Returns 0, 1 if it does not exist, -1 if it cannot be reached. */
static int route_look(struct survey *s, const struct route *route, struct protected_path *ret) {
        int got = protect_stat(AT_FDCWD, route->done, ret, s->arena, &s->last);
        struct route up = *route;

        if (got >= 0)
                return got;
        if (s->last.sys == EACCES) {
                route_up(&up);
                if (!survey_opened(s, survey_keep(s, str_from(up.done, up.len))))
                        return -1;
                got = protect_stat(AT_FDCWD, route->done, ret, s->arena, &s->last);
        }
        if (got < 0 && s->last.sys != ENAMETOOLONG && s->last.sys != ELOOP &&
            (survey_root(s, route->done) || s->last.code == ERR_MEMORY)) {
                err_context_message(&s->last, "%s", route->done);
                survey_failed(s);
        }
        return got;
}

/* Goes one name further; false: it cannot be reached. After the first name that does not exist, the rest is only text. */
static bool route_step(struct survey *s, struct route *route, const char *name, struct place *place) {
        struct protected_path item = { 0 };
        int got;

        if (strcmp(name, ".") == 0)
                return true;
        if (strcmp(name, "..") == 0) {
                route_up(route);
                return true;
        }
        route_down(route, name);
        if (!place->exists)
                return true;
        got = route_look(s, route, &item);
        if (got == 0 && item.link)
                return route_link(s, route, item);
        place->exists = got == 0;
        place->directory = got == 0 && item.directory;
        return got >= 0;
}

struct place survey_resolve(struct survey *s, const char *from, const char *path) {
        struct route route = { .len = 0 };
        struct place place = { .exists = true, .directory = true };
        char name[NAME_MAX + 1];
        bool lost = strlen(from) >= sizeof(route.done) || !route_push(&route, path);

        if (!lost && path[0] != '/') { /* `from` is real, so nothing has to be looked up for it */
                route.len = strlen(from) > 1 ? strlen(from) : 0;
                memcpy(route.done, from, route.len + 1);
        }
        while (!lost && route_next(&route, name, &lost))
                lost = lost || !route_step(s, &route, name, &place);
        if (lost || s->failed)
                return (struct place){ 0 };
        place.path = route.len ? survey_keep(s, str_from(route.done, route.len)) : "/";
        return place;
}

void survey_protect(struct survey *s, struct place place, enum protected_kind kind) {
        struct protected_path item = { 0 };
        int got;

        if (!place.path || !survey_root(s, place.path))
                return;
        got = place.exists ? protect_stat(AT_FDCWD, place.path, &item, s->arena, &s->last) : 1;
        item.path = place.path;
        item.kind = kind;
        if (got == 0) {
                add_item(s, item, true);
        } else if (got > 0) {
                add_anchors(s, place.path, false);
                survey_add(s, &s->found->absent, item);
        } else {
                err_context_message(&s->last, "%s", place.path);
                survey_failed(s);
        }
}

void survey_name(struct survey *s, int fd, const char *path, const char *name, enum protected_kind kind, bool covered) {
        struct protected_path item;
        int got = protect_stat(fd, name, &item, s->arena, &s->last);

        if (got < 0) {
                err_context_message(&s->last, "%s", path);
                survey_failed(s);
        }
        if (got != 0)
                return;
        if (item.link && !s->before) { /* notes the link itself, too; where known ones led is known afterwards */
                survey_protect(s, survey_resolve(s, path, name), kind);
                return;
        }
        item.path = survey_join(s, path, name);
        item.kind = item.link ? PROTECTED_NAME : kind;
        add_item(s, item, covered || item.link);
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
        s->found->workspace = s->workspace = survey_keep(s, str_z(real));
        if (s->failed)
                return err_memory(err);
        s->workspace_fd = open(real, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return s->workspace_fd < 0 ? err_sys(err, "cannot open the workspace %s", real) : 0;
}

static struct place resolve_known(struct survey *s, const char *from, const char *path) {
        struct place place;

        s->on_known_way = true;
        place = survey_resolve(s, from, path);
        s->on_known_way = false;
        return place;
}

/* Names of several parts lead through directories that may be links. */
static void survey_rows(struct survey *s) {
        for (const struct unasked *row = NULL; (row = unasked_next(row, UNASKED_WORKSPACE));) {
                struct place place;

                if (!strchr(row->path, '/')) {
                        survey_name(s, s->workspace_fd, s->workspace, row->path, PROTECTED_NAME, true);
                        continue;
                }
                place = resolve_known(s, s->workspace, row->path);
                if (place.exists)
                        survey_protect(s, place, PROTECTED_NAME);
        }
}

/* What configs and links led to before a command. Where they lead now does not count: those that are new go. */
static void survey_known(struct survey *s, const struct protected_paths *known) {
        for (size_t i = 0; !s->failed && i < known->count; i++) {
                struct place place;

                if (survey_find(s->found, known->items[i].path))
                        continue;
                place = resolve_known(s, "/", known->items[i].path);
                if (place.exists)
                        survey_protect(s, place, known->items[i].kind);
        }
}

static int survey(struct survey *s, const char *workspace, const struct protection *known, struct err *err) {
        if (open_workspace(s, workspace, err) < 0)
                return -1;
        survey_rows(s);
        if (!s->before)
                survey_global(s);
        survey_trees(s);
        survey_addressed(s);
        if (!s->before)
                survey_above(s);
        for (size_t i = 0; s->before && i < known->git_write.count; i++) /* a pointer may lead elsewhere by now */
                survey_git_dir(s, known->git_write.items[i].path, s->workspace, false);
        if (known)
                survey_known(s, &known->read_only);
        if (s->before) {
                survey_known(s, &known->checked);
                survey_known(s, &known->absent);
        }
        fd_close(s->workspace_fd);
        if (s->failed && err)
                *err = s->found->problem;
        return s->failed ? -1 : 0;
}

int protect_survey(const char *workspace, const char *home, const struct protection *known, struct arena *arena,
                   struct protection *ret, struct err *err) {
        struct protection found = { 0 };
        struct survey s = { .arena = arena, .home = home, .found = &found };

        if (survey(&s, workspace, known, err) < 0)
                return -1;
        drop_needless_anchors(&found);
        *ret = found;
        return 0;
}

int protect_survey_after(const char *workspace, const char *home, const struct protection *before, struct arena *arena,
                         struct protection *ret, struct err *err) {
        struct protection found = { .git_write = before->git_write };
        struct survey s = { .arena = arena, .before = before, .home = home, .found = &found };

        if (survey(&s, workspace, before, err) < 0)
                return -1;
        *ret = found;
        return 0;
}
