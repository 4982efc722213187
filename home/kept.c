#include "home/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/lock.h"
#include "base/sha256.h"
#include "base/time.h"
#include "base/tree.h"
#include "home/home.h"
#include "policy/files.h"

#define REMOVED_PREFIX ".removed-"
#define WAIT TIME_SECOND
#define MEASURE_FOR (10 * TIME_SECOND)
#define FOR_EVER (INT64_MAX / 4)

enum { ABOUT_MAX = PATH_MAX * 2 + 2, REMOVE_TRIES = 3 };

bool home_name(const char *workspace, const char *home, char ret[static HOME_NAME_LENGTH + 1]) {
        char hex[SHA256_HEX_SIZE];
        BUF_AUTO key;

        buf_init(&key, ABOUT_MAX);
        buf_format(&key, "%s\n%s", workspace, home);
        if (key.failed)
                return false;
        sha256_hex(buf_str(&key), hex);
        snprintf(ret, HOME_NAME_LENGTH + 1, "%.*s", HOME_NAME_LENGTH, hex);
        return true;
}

static bool is_name(const char *name) {
        return strlen(name) == HOME_NAME_LENGTH && strspn(name, "0123456789abcdef") == HOME_NAME_LENGTH;
}

/* ---- one ---- */

/* Two lines, the workspace and the home directory. If they do not make the name, they are of another one. */
static void read_about(int layer, struct arena *arena, struct home_kept *kept) {
        char name[HOME_NAME_LENGTH + 1], *text, *line;
        BUF_AUTO about;

        buf_init(&about, ABOUT_MAX);
        if (file_read(layer, "about", "about", FILE_NO_LINK, &about, NULL) < 0 || !about.len ||
            about.ptr[about.len - 1] != '\n' || memchr(about.ptr, 0, about.len))
                return;
        text = arena_dup(arena, str_from(about.ptr, about.len - 1));
        line = text ? strchr(text, '\n') : NULL; /* the path of a workspace has no control characters */
        if (!line)
                return;
        *line++ = 0;
        if (!home_name(text, line, name) || strcmp(name, kept->name) != 0)
                return;
        kept->workspace = text;
        kept->home = line;
}

static enum home_state state_of(const struct home_kept *kept) {
        struct stat status;

        if (!kept->workspace)
                return HOME_WORKSPACE_UNKNOWN;
        if (stat(kept->workspace, &status) == 0)
                return S_ISDIR(status.st_mode) ? HOME_WORKSPACE_IS_THERE : HOME_WORKSPACE_UNKNOWN;
        return errno == ENOENT || errno == ENOTDIR ? HOME_WORKSPACE_IS_GONE : HOME_WORKSPACE_UNKNOWN;
}

/* Of what changes when a sandbox begins, and when the home is measured. */
static int64_t last_used(int layer) {
        static const char *const names[] = { HOME_RUNS, "size", "about" };
        int64_t last = 0;

        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
                struct stat status;
                int64_t time;

                if (fstatat(layer, names[i], &status, AT_SYMLINK_NOFOLLOW) < 0)
                        continue;
                time = (int64_t)status.st_mtim.tv_sec * TIME_SECOND + status.st_mtim.tv_nsec;
                last = time > last ? time : last;
        }
        return last;
}

static bool is_in_use(int layer) {
        bool used = lock_take(layer, LOCK_EX, 0) < 0;

        if (!used)
                flock(layer, LOCK_UN);
        return used;
}

static void describe(int layer, struct arena *arena, struct home_kept *kept) {
        read_about(layer, arena, kept);
        kept->state = state_of(kept);
        kept->last_used = last_used(layer);
        kept->in_use = is_in_use(layer);
}

static int open_layer(int base, const char *name) {
        return openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int home_open_kept(const char *base, const char *name) {
        FD_AUTO directory = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);

        return directory < 0 ? -1 : open_layer(directory, name);
}

/* ---- all ---- */

static int compare_use(const void *a, const void *b) {
        const struct home_kept *one = a, *other = b;

        if (one->last_used != other->last_used)
                return one->last_used < other->last_used ? 1 : -1;
        return strcmp(one->name, other->name);
}

static int each_name(int base, int (*act)(void *context, int base, const char *name), void *context, struct err *err) {
        DIR *stream = tree_list(base, ".");
        const struct dirent *entry;
        int result = 0;

        if (!stream)
                return err_sys(err, "homes of workspaces");
        while (result == 0 && (entry = tree_next(stream)))
                result = act(context, base, entry->d_name);
        if (result == 0 && errno)
                result = err_sys(err, "homes of workspaces");
        closedir(stream);
        return result;
}

struct collector {
        struct arena *arena;
        struct home_kept *items;
        size_t count, room;
        struct err *err;
};

static int make_room(struct collector *c) {
        size_t room = c->room ? c->room * 2 : 16;
        struct home_kept *items;

        if (c->count < c->room)
                return 0;
        if (room > HOME_KEPT_MAX)
                return err_set(c->err, ERR_TOO_COMPLEX, "more than %d homes", HOME_KEPT_MAX / 2);
        items = arena_alloc(c->arena, room * sizeof(*items));
        if (!items)
                return err_memory(c->err);
        if (c->count)
                memcpy(items, c->items, c->count * sizeof(*items));
        c->items = items;
        c->room = room;
        return 0;
}

static int collect(void *context, int base, const char *name) {
        struct collector *c = context;
        FD_AUTO layer = is_name(name) ? open_layer(base, name) : -1;
        struct home_kept *kept;

        if (layer < 0)
                return !is_name(name) || errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0
                                                                                               : err_sys(c->err, "%s", name);
        if (make_room(c) < 0)
                return -1;
        kept = &c->items[c->count++];
        snprintf(kept->name, sizeof(kept->name), "%s", name);
        describe(layer, c->arena, kept);
        return 0;
}

int home_list(const char *base, struct arena *arena, struct home_list *ret, struct err *err) {
        FD_AUTO directory = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        struct collector c = { .arena = arena, .err = err };

        if (directory < 0 && errno != ENOENT && errno != ENOTDIR)
                return err_sys(err, "%s", base);
        if (directory >= 0 && each_name(directory, collect, &c, err) < 0)
                return -1;
        if (c.count)
                qsort(c.items, c.count, sizeof(*c.items), compare_use);
        *ret = (struct home_list){ c.items, c.count };
        return 0;
}

/* ---- removing ---- */

/* Nobody but us then runs a command in it, or moves files in it. */
static int take_over(int layer, int *ret_runs, struct err *err) {
        FD_AUTO runs = -1;

        if (lock_take(layer, LOCK_EX, time_monotonic() + WAIT) < 0)
                return errno == EWOULDBLOCK ? err_set(err, ERR_REFUSED, "a command of the workspace is running")
                                            : err_sys(err, "cannot lock the home");
        runs = openat(layer, HOME_RUNS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (runs < 0 && errno != ENOENT)
                return err_sys(err, HOME_RUNS);
        if (runs >= 0 && lock_take(runs, LOCK_EX, time_monotonic() + WAIT) < 0)
                return err_set(err, ERR_REFUSED, "a command of the workspace is just ending; try again");
        *ret_runs = TAKE_FD(runs);
        return 0;
}

/* Frees its name at once: a command that starts now gets a new home. */
static int move_away(int base, const char *name, char ret[static PATH_MAX], struct err *err) {
        char id[ID_SIZE];

        if (id_new(id, err) < 0)
                return -1;
        snprintf(ret, PATH_MAX, REMOVED_PREFIX "%s", id);
        return renameat(base, name, base, ret) < 0 ? err_sys(err, "cannot move the home") : 0;
}

/* A command that has opened the home before it was moved may make its first files in it. */
static int remove_all(int base, const char *name, struct err *err) {
        for (int i = 0; i < REMOVE_TRIES; i++)
                if (move_remove(base, name, FOR_EVER, err) == 0)
                        return 0;
        return err_context(err, "%s cannot be removed", name);
}

int home_clear(const char *base, const char *name, struct home_usage *ret, struct err *err) {
        FD_AUTO directory = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        FD_AUTO layer = directory < 0 ? -1 : open_layer(directory, name);
        FD_AUTO runs = -1;
        struct home_usage usage;
        char removed[PATH_MAX];

        if (layer < 0)
                return errno == ENOENT || errno == ENOTDIR ? err_set(err, ERR_NOT_FOUND, "there is no such home")
                                                           : err_sys(err, "%s/%s", base, name);
        if (take_over(layer, &runs, err) < 0)
                return -1;
        home_usage_measure(layer, time_monotonic() + MEASURE_FOR, &usage);
        if (move_away(directory, name, removed, err) < 0)
                return -1;
        if (remove_all(directory, removed, err) < 0)
                return err_context(err, "%s", base);
        *ret = usage;
        return 0;
}

/* Whoever is still removing it has it locked. */
static int clear_one(void *context, int base, const char *name) {
        FD_AUTO layer = strncmp(name, REMOVED_PREFIX, sizeof(REMOVED_PREFIX) - 1) == 0 ? open_layer(base, name) : -1;

        if (layer < 0 || lock_take(layer, LOCK_EX, 0) < 0)
                return 0;
        return remove_all(base, name, context);
}

int home_clear_rest(const char *base, struct err *err) {
        FD_AUTO directory = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (directory < 0)
                return errno == ENOENT || errno == ENOTDIR ? 0 : err_sys(err, "%s", base);
        return each_name(directory, clear_one, err, err);
}
