/*
 * Where runs write instead: copies of the home of the workspace, and of what a line would let them write, each for one run.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"
#include "base/tree.h"
#include "engine/api/learn.h"
#include "engine/stage_request.h"
#include "home/walk.h"

#define PLACES "/var/tmp"

enum { COPY_ENTRIES_MAX = 20000, MESSAGE_MAX = 1024 };

#define COPY_BYTES_MAX (UINT64_C(256) << 20)
#define COPY_FOR (30 * TIME_SECOND)

void learn_notice(struct learn *l, const char *format, ...) {
        char text[MESSAGE_MAX];
        va_list arguments;
        const char *copy;

        va_start(arguments, format);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        copy = l->notice_count < LEARN_NOTICES_MAX ? arena_dup(l->arena, str_z(text)) : NULL;
        if (copy)
                l->notices[l->notice_count++] = copy;
}

/* ---- the directory ---- */

int place_begin(struct learn *l, struct err *err) {
        char path[] = PLACES "/bailey-learn-XXXXXX";

        if (l->home && path_within(PLACES, l->home))
                return err_set(err, ERR_UNSUPPORTED, "copies for runs cannot be in %s, which is in your home directory",
                               PLACES);
        if (!mkdtemp(path))
                return err_sys(err, "a directory in %s", PLACES);
        snprintf(l->directory, sizeof(l->directory), "%s", path);
        return 0;
}

static int open_places(void) {
        return open(PLACES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void place_end(struct learn *l) {
        FD_AUTO places = open_places();
        struct err err = {};

        if (l->directory[0] && remove_tree(places, strrchr(l->directory, '/') + 1, time_monotonic() + COPY_FOR, &err) < 0)
                learn_notice(l, "%s cannot be removed: %s", l->directory, err.msg);
        l->directory[0] = '\0';
}

/* ---- copies ---- */

struct size {
        uint64_t bytes, entries;
};

static void add_size(void *context, const struct walk_entry *entry) {
        struct size *size = context;

        size->entries++;
        if (S_ISREG(entry->status.st_mode))
                size->bytes += (uint64_t)entry->status.st_size;
}

bool place_can_copy(const char *path) {
        FD_AUTO directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct size size = {};
        struct walk walk = { .deadline = time_monotonic() + COPY_FOR, .visit = add_size, .context = &size };
        struct stat st;

        if (directory < 0)
                return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= COPY_BYTES_MAX;
        walk_tree(&walk, directory);
        return !walk.late && !walk.unread && size.bytes <= COPY_BYTES_MAX && size.entries <= COPY_ENTRIES_MAX;
}

static int copy_to(const char *path, int to, const char *name, struct err *err) {
        struct copy copy = { .bytes = COPY_BYTES_MAX, .entries = COPY_ENTRIES_MAX, .deadline = time_monotonic() + COPY_FOR };
        char above[PATH_MAX];
        const char *slash = strrchr(path, '/');

        snprintf(above, sizeof(above), "%.*s/", (int)(slash - path), path);
        FD_AUTO from = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return from < 0 ? err_sys(err, "%s", above) : copy_tree(from, slash + 1, to, name, &copy, err);
}

static size_t put_path(const struct walk_entry *entry, const char *top, char *ret, size_t size) {
        size_t len = entry->above ? put_path(entry->above, top, ret, size) : (size_t)snprintf(ret, size, "%s", top);

        return len < size ? len + (size_t)snprintf(ret + len, size - len, "/%s", entry->name) : len;
}

bool place_path(const struct walk_entry *entry, const char *top, char ret[static PATH_MAX]) {
        return put_path(entry, top, ret, PATH_MAX) < PATH_MAX;
}

/* What was mounted there for earlier commands has left an empty file or directory, which hides that the file is not shown. */
static void remove_point(void *context, const struct walk_entry *entry) {
        const struct stat *st = &entry->status;
        char path[PATH_MAX];
        struct stat ignored;

        if ((S_ISREG(st->st_mode) ? st->st_size == 0 : S_ISDIR(st->st_mode) && entry->children == 0) &&
            place_path(entry, context, path) && lstat(path, &ignored) == 0)
                (void)unlinkat(entry->directory, entry->name, S_ISDIR(st->st_mode) ? AT_REMOVEDIR : 0);
}

static void remove_points(const char *home, int copy) {
        FD_AUTO files = openat(copy, HOME_FILES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        char top[PATH_MAX];
        struct walk walk = { .deadline = time_monotonic() + COPY_FOR, .visit = remove_point, .context = top };

        snprintf(top, sizeof(top), "%s", home);
        if (files >= 0)
                walk_tree(&walk, files);
}

/* Without what sandboxes that run, or were killed, have not settled. */
static int copy_layer(const char *layer, int to, struct err *err) {
        static const char *const parts[] = { HOME_FILES, "settings", "about" };
        char path[PATH_MAX];

        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
                snprintf(path, sizeof(path), "%.*s/%s", PATH_MAX - 16, layer, parts[i]);
                if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 && copy_to(path, to, parts[i], err) < 0)
                        return -1;
        }
        return 0;
}

/* A home that is too large is not copied. */
static int copy_home(struct learn *l, int directory, struct err *err) {
        const char *layer = l->host.home.layer, *name = layer ? strrchr(layer, '/') + 1 : NULL;
        FD_AUTO home = -1, copy = -1;
        struct err why = {};

        if (mkdirat(directory, "home", 0700) < 0 || (home = openat(directory, "home", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
                return err_sys(err, "%s", l->directory);
        if (!layer)
                return 0;
        if (mkdirat(home, name, 0700) < 0 || (copy = openat(home, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
                return err_sys(err, "%s", l->directory);
        if (copy_layer(layer, copy, &why) == 0) {
                remove_points(l->home, copy);
                return 0;
        }
        if (l->runs == 1)
                learn_notice(l, "runs begin with an empty home of the workspace, as it cannot be copied: %s", why.msg);
        return move_remove(home, name, COPY_FOR, err);
}

static int copy_written(struct learn *l, int directory, struct arena *arena, struct place *ret, struct err *err) {
        char name[32], path[PATH_MAX + 64];
        size_t count = 0;

        for (size_t i = 0; i < l->count; i++) {
                const struct line *line = &l->lines[i];

                if (line->off || !line->path)
                        continue;
                snprintf(name, sizeof(name), "written-%zu", i);
                snprintf(path, sizeof(path), "%s/%s/%s", l->directory, ret->name, name);
                if (copy_to(line->path, directory, name, err) < 0)
                        return -1;
                ret->copies[count++] = (struct run_copy){ line->path, arena_dup(arena, str_z(path)) };
                if (!ret->copies[count - 1].copy)
                        return err_memory(err);
        }
        ret->copies[count] = (struct run_copy){};
        return 0;
}

int place_make(struct learn *l, struct arena *arena, struct place *ret, struct err *err) {
        FD_AUTO places = open(l->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), directory = -1;

        snprintf(ret->name, sizeof(ret->name), "run-%u", l->runs);
        snprintf(ret->home, sizeof(ret->home), "%.*s/%s/home", PATH_MAX - 64, l->directory, ret->name);
        snprintf(ret->stage, sizeof(ret->stage), "learn-%s-%u", strrchr(l->directory, '-') + 1, l->runs);
        if (places < 0 || mkdirat(places, ret->name, 0700) < 0)
                return err_sys(err, "%s", l->directory);
        directory = openat(places, ret->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory < 0)
                return err_sys(err, "%s", l->directory);
        return copy_home(l, directory, err) < 0 ? -1 : copy_written(l, directory, arena, ret, err);
}

/* ---- afterwards ---- */

static int remove_stage(struct learn *l, const char *name, struct err *err) {
        const struct bailey_stage_request request = { .environment = l->options->run.environment,
                                                      .workspace = l->workspace,
                                                      .name = name };
        struct stage_asked asked;
        ARENA_AUTO arena;
        int result;

        arena_init(&arena, 0);
        asked = (struct stage_asked){ .arena = &arena, .stage = { .fd = -1 } };
        result = stage_ask(&request, true, &asked, err);
        if (result == 0)
                result = stage_remove(asked.state.path, &asked.stage, err);
        stage_close(&asked.stage);
        return result < 0 && err->code == ERR_NOT_FOUND ? 0 : result; /* it did not come to that */
}

void place_remove(struct learn *l, const struct place *place, bool keep_stage) {
        FD_AUTO places = open(l->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        struct err err = {};

        if (places >= 0)
                (void)remove_tree(places, place->name, time_monotonic() + COPY_FOR, &err); /* or all of it at the end */
        if (!keep_stage && remove_stage(l, place->stage, &err) < 0)
                learn_notice(l, "the stage %s cannot be removed: %s", place->stage, err.msg);
}
