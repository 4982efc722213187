#include "home/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"
#include "home/home.h"
#include "home/walk.h"

/* More than these are counted only. */
enum { ITEMS_MAX = 1 << 18, PATHS_MAX = 64 << 20 };

struct finder {
        const struct home_changes_request *request;
        struct arena *arena;
        int home; /* the user's */
        struct home_change *items;
        size_t count, room, path_bytes;
        uint64_t left_out, left_out_bytes;
        bool failed;
};

/* ---- what is found ---- */

static bool make_room(struct finder *f, size_t path_bytes) {
        size_t room = f->room ? f->room * 2 : 64;
        struct home_change *items;

        if (f->path_bytes + path_bytes > PATHS_MAX || f->count >= ITEMS_MAX)
                return false;
        if (f->count < f->room)
                return true;
        items = arena_alloc(f->arena, room * sizeof(*items));
        if (!items) {
                f->failed = true;
                return false;
        }
        if (f->count)
                memcpy(items, f->items, f->count * sizeof(*items));
        f->items = items;
        f->room = room;
        return true;
}

static void add(struct finder *f, struct home_change change) {
        size_t len = strlen(change.path) + 1;

        if (!make_room(f, len)) {
                f->left_out++;
                f->left_out_bytes += change.bytes;
                return;
        }
        change.path = arena_dup(f->arena, str_z(change.path));
        f->failed = f->failed || !change.path;
        f->path_bytes += len;
        f->items[f->count++] = change;
}

static void add_setting(void *context, const struct home_setting *setting) {
        add(context, (struct home_change){
                             .path = setting->path,
                             .kind = !setting->there   ? HOME_DELETED
                                     : setting->copied ? HOME_CHANGED
                                                       : HOME_ADDED,
                             .settings = true,
                             .opened = true,
                             .type = setting->there ? setting->status.st_mode & S_IFMT : 0,
                             .bytes = setting->there ? (uint64_t)setting->status.st_size : 0,
                     });
}

/* ---- what the user has ---- */

static bool is_setting(const char *path) {
        for (size_t i = 0; i < shown_count; i++)
                if (shown_rows[i].kind == SHOWN_SETTINGS && strcmp(shown_rows[i].path, path) == 0)
                        return true;
        return false;
}

/* In a row of the table, or of sandbox.home_show; links in the user's home are not followed for it. */
static bool is_shown(const struct finder *f, const char *path) {
        for (size_t i = 0; i < shown_count; i++)
                if (shown_rows[i].kind != SHOWN_SETTINGS && path_within(path, shown_rows[i].path))
                        return true;
        for (size_t i = 0; i < f->request->show.count; i++) {
                struct str listed = f->request->show.items[i], home = str_z(f->request->home);

                if (str_starts(listed, STR("~/")))
                        listed = str_skip(listed, 2);
                else if (str_starts(listed, home))
                        listed = str_skip(listed, home.len + 1);
                if (listed.len && strncmp(path, listed.ptr, listed.len) == 0 && (!path[listed.len] || path[listed.len] == '/'))
                        return true;
        }
        return false;
}

static bool user_has(const struct finder *f, const char *path) {
        FD_AUTO fd = is_shown(f, path) ? home_open_beneath(f->home, path, O_PATH | O_NOFOLLOW) : -1;

        return fd >= 0;
}

/* A link of the user's that was made again, because it leads out of the home. */
static bool is_users_link(const struct finder *f, const struct walk_entry *entry, const char *path) {
        char own[PATH_MAX], users[PATH_MAX];
        ssize_t len;

        if (!S_ISLNK(entry->status.st_mode) || entry->above || !is_shown(f, path))
                return false;
        len = readlinkat(entry->directory, entry->name, own, sizeof(own));
        return len > 0 && readlinkat(f->home, path, users, sizeof(users)) == len && memcmp(own, users, (size_t)len) == 0;
}

/* ---- what is in the layer ---- */

/* From its end on; NULL: longer than there is room. */
static const char *path_of(const struct walk_entry *entry, char *room, size_t size) {
        char *start = room + size - 1;

        *start = 0;
        for (const struct walk_entry *e = entry; e; e = e->above) {
                size_t len = strlen(e->name), slash = e != entry;

                if ((size_t)(start - room) < len + slash)
                        return NULL;
                if (slash)
                        *--start = '/';
                start -= len;
                memcpy(start, e->name, len);
        }
        return start;
}

static enum home_change_kind kind_of(const struct finder *f, const struct walk_entry *entry, const char *path) {
        if (walk_is_whiteout(&entry->status))
                return HOME_DELETED;
        return user_has(f, path) ? HOME_CHANGED : HOME_ADDED;
}

/* What a directory holds is told, not the directory; but for one that hides that of the user, and one that says nothing. */
static bool is_told(const struct walk_entry *entry) {
        return !S_ISDIR(entry->status.st_mode) || entry->fd < 0 || walk_is_opaque(entry->fd);
}

static void visit(void *context, const struct walk_entry *entry) {
        struct finder *f = context;
        char room[WALK_DEPTH_MAX * (NAME_MAX + 1)];
        const char *path = is_told(entry) ? path_of(entry, room, sizeof(room)) : NULL;
        struct home_change change = { .path = path, .opened = !S_ISDIR(entry->status.st_mode) || entry->fd >= 0 };

        if (!path || is_setting(path) || is_users_link(f, entry, path))
                return;
        change.kind = kind_of(f, entry, path);
        change.type = change.kind == HOME_DELETED ? 0 : entry->status.st_mode & S_IFMT;
        change.bytes = S_ISREG(entry->status.st_mode) ? (uint64_t)entry->status.st_size : 0;
        add(f, change);
}

/* ---- the answer ---- */

static int compare_weight(const void *a, const void *b) {
        const struct home_change *one = a, *other = b;
        int weights[2] = { one->settings * 2 + (one->kind == HOME_DELETED),
                           other->settings * 2 + (other->kind == HOME_DELETED) };

        if (weights[0] != weights[1])
                return weights[1] - weights[0];
        if (one->bytes != other->bytes)
                return one->bytes < other->bytes ? 1 : -1;
        return strcmp(one->path, other->path);
}

static int compare_path(const void *a, const void *b) {
        const struct home_change *one = a, *other = b;

        return strcmp(one->path, other->path);
}

/* Those that matter most stay. */
static void cut(struct finder *f) {
        qsort(f->items, f->count, sizeof(*f->items), compare_weight);
        for (size_t i = f->request->limit; i < f->count; i++)
                f->left_out_bytes += f->items[i].bytes;
        f->left_out += f->count - f->request->limit;
        f->count = f->request->limit;
}

int home_changes_find(const struct home_changes_request *request, struct arena *arena, struct home_changes *ret,
                      struct err *err) {
        FD_AUTO files = openat(request->layer, HOME_FILES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        FD_AUTO home = open(request->home, O_PATH | O_DIRECTORY | O_CLOEXEC);
        struct finder f = { .request = request, .arena = arena, .home = home };
        struct walk walk = { .deadline = request->deadline, .visit = visit, .context = &f };

        if (files < 0)
                return err_sys(err, HOME_FILES);
        if (home_settings_changes(request->layer, add_setting, &f, err) < 0)
                return -1;
        walk_tree(&walk, files);
        if (f.failed)
                return err_memory(err);
        if (f.count > request->limit)
                cut(&f);
        if (f.count)
                qsort(f.items, f.count, sizeof(*f.items), compare_path);
        *ret = (struct home_changes){ f.items, f.count, f.left_out, f.left_out_bytes, !walk.late && !walk.unread };
        return 0;
}
