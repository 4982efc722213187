#include "stage/changes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/id.h"
#include "base/tree.h"
#include "stage/attributes.h"
#include "stage/content.h"

enum { CHANGES_MAX = 1 << 20, DEPTH_MAX = 256 };

struct finder {
        const struct stage_compare *compare;
        struct arena *arena;
        struct stage_changes *out;
        struct err *err;
        unsigned depth;
};

/* Where the comparison is. */
struct place {
        int upper, base; /* -1: there is none */
        const char *path;
        size_t whole;
};

/* ---- directories ---- */

struct names {
        const char **items;
        size_t count, room;
};

static int compare_names(const void *a, const void *b) {
        const char *const *one = a, *const *other = b;

        return strcmp(*one, *other);
}

static int list(struct finder *f, int directory, struct names *ret) {
        DIR *stream = tree_list(directory, ".");
        const struct dirent *entry;
        int why;

        *ret = (struct names){};
        if (!stream)
                return err_sys(f->err, "cannot list a directory of the stage");
        errno = 0;
        while ((entry = tree_next(stream))) {
                if (!arena_room(f->arena, &ret->items, ret->count, &ret->room, sizeof(*ret->items)) ||
                    !(ret->items[ret->count++] = arena_dup(f->arena, str_z(entry->d_name)))) {
                        closedir(stream);
                        return err_memory(f->err);
                }
                errno = 0;
        }
        why = errno;
        closedir(stream);
        errno = why;
        if (why)
                return err_sys(f->err, "cannot list a directory of the stage");
        if (ret->count)
                qsort(ret->items, ret->count, sizeof(*ret->items), compare_names);
        return 0;
}

static bool has_name(const struct names *names, const char *name) {
        return names->count && bsearch(&name, names->items, names->count, sizeof(*names->items), compare_names);
}

static const char *path_in(struct finder *f, const char *above, const char *name) {
        size_t len = strlen(above), size = len + strlen(name) + 2;
        char *path = size <= PATH_MAX ? arena_bytes(f->arena, size) : NULL;

        if (!path) {
                err_set(f->err, ERR_TOO_COMPLEX, "%s/%s: too long", above, name);
                return NULL;
        }
        snprintf(path, size, "%s%s%s", above, len ? "/" : "", name);
        return path;
}

/* 0 and -1 in `ret` if there is none. */
static int look(struct finder *f, int directory, const char *name, const char *path, struct stat *ret) {
        if (directory < 0 || fstatat(directory, name, ret, AT_SYMLINK_NOFOLLOW) < 0) {
                if (directory >= 0 && errno != ENOENT)
                        return err_sys(f->err, "%s", path);
                *ret = (struct stat){};
        }
        return 0;
}

static int open_in(struct finder *f, int directory, const char *name, const char *path, int *ret) {
        *ret = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        return *ret < 0 ? err_sys(f->err, "%s", path) : 0;
}

/* ---- changes ---- */

static bool is_directory(const struct stage_change *change) {
        return S_ISDIR(change->kind == STAGE_DELETED ? change->before.st_mode : change->after.st_mode);
}

/* Returns its index. */
static int add(struct finder *f, const struct stage_change *change, size_t *ret) {
        struct stage_changes *out = f->out;
        struct stage_change *item;

        if (out->count == CHANGES_MAX)
                return err_set(f->err, ERR_TOO_COMPLEX, "the stage has more than %d changes", CHANGES_MAX);
        if (!arena_room(f->arena, &out->items, out->count, &out->room, sizeof(*out->items)))
                return err_memory(f->err);
        item = &out->items[out->count];
        *item = *change;
        if (f->compare->guards)
                item->protected_by = f->compare->guards(item->path, is_directory(item));
        for (size_t above = item->whole; above != STAGE_ALONE; above = out->items[above].whole)
                out->items[above].part_count++;
        *ret = out->count++;
        return 0;
}

static bool is_later(const struct timespec *a, const struct timespec *b) {
        return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* It was changed in the workspace after it was staged. What was copied up then holds all of before that. */
static bool is_newer(const struct finder *f, const struct stat *before, int upper, const char *name) {
        struct timespec staged = f->compare->stage->begun, copied;

        if (upper >= 0 && stage_copied_at(upper, name, &copied) && is_later(&copied, &staged))
                staged = copied;
        return is_later(&before->st_ctim, &staged);
}

static const char *const changed_meanwhile = "it has changed in the workspace since it was staged";

static int deleted(struct finder *f, int base, const char *name, const char *path, size_t whole);

static int deleted_below(struct finder *f, int directory, const char *path, size_t whole) {
        struct names names;

        if (list(f, directory, &names) < 0)
                return -1;
        for (size_t i = 0; i < names.count; i++) {
                const char *below = path_in(f, path, names.items[i]);

                if (!below || deleted(f, directory, names.items[i], below, whole) < 0)
                        return -1;
        }
        return 0;
}

static int deeper(struct finder *f, const char *path) {
        return ++f->depth > DEPTH_MAX ? err_set(f->err, ERR_TOO_COMPLEX, "%s: too deep", path) : 0;
}

/* All of a directory that is deleted. */
static int deleted_directory(struct finder *f, int base, const char *name, const char *path, size_t whole) {
        FD_AUTO directory = -1;
        int result;

        if (deeper(f, path) < 0 || open_in(f, base, name, path, &directory) < 0)
                return -1;
        result = deleted_below(f, directory, path, whole);
        f->depth--;
        return result;
}

static int deleted(struct finder *f, int base, const char *name, const char *path, size_t whole) {
        struct stage_change change = { .path = path, .kind = STAGE_DELETED, .whole = whole };
        size_t index;

        if (look(f, base, name, path, &change.before) < 0)
                return -1;
        if (!change.before.st_mode)
                return 0;
        if (!S_ISDIR(change.before.st_mode) && is_newer(f, &change.before, -1, name))
                change.conflict = changed_meanwhile;
        if (add(f, &change, &index) < 0)
                return -1;
        return S_ISDIR(change.before.st_mode) ? deleted_directory(f, base, name, path, index) : 0;
}

static int compare_directory(struct finder *f, const struct place *place);

static int compare_below(struct finder *f, const struct place *place) {
        int result = deeper(f, place->path);

        if (result == 0) {
                result = compare_directory(f, place);
                f->depth--;
        }
        return result;
}

/* A directory that is new, or in the place of something else. */
static int added_directory(struct finder *f, const struct place *above, const char *name, struct stage_change *change,
                           bool replaces_directory) {
        FD_AUTO upper = -1, base = -1;
        struct place place = { .path = change->path };

        if (open_in(f, above->upper, name, change->path, &upper) < 0 ||
            (replaces_directory && open_in(f, above->base, name, change->path, &base) < 0))
                return -1;
        if (!change->before.st_mode && above->base >= 0 && stage_has_attribute(upper, "user.overlay.origin"))
                change->conflict = "it was deleted in the workspace since it was staged";
        place.upper = upper;
        place.base = base;
        return add(f, change, &place.whole) < 0 ? -1 : compare_below(f, &place);
}

/* A file in the place of a directory: what is in that goes with it. */
static int file_for_directory(struct finder *f, const struct place *above, const char *name,
                              const struct stage_change *change) {
        size_t index;

        if (add(f, change, &index) < 0)
                return -1;
        return deleted_directory(f, above->base, name, change->path, index);
}

static bool same_owner_and_mode(const struct stat *a, const struct stat *b) {
        return a->st_mode == b->st_mode && a->st_uid == b->st_uid && a->st_gid == b->st_gid;
}

static bool same_time(const struct timespec *a, const struct timespec *b) {
        return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static int changed_file(struct finder *f, const struct place *above, const char *name, struct stage_change *change) {
        const struct stage_sides sides = { above->base, above->upper, name, change->path };
        bool same_attributes;
        size_t index;

        if (stage_same_content(&sides, &change->before, &change->after, &change->same_content, f->err) < 0 ||
            stage_same_attributes(&sides, &change->after, &same_attributes, f->err) < 0)
                return -1;
        if (change->same_content && same_attributes && change->after.st_nlink == 1 &&
            same_owner_and_mode(&change->before, &change->after) && same_time(&change->before.st_mtim, &change->after.st_mtim))
                return 0; /* it was opened for writing, and left as it was */
        if (is_newer(f, &change->before, above->upper, name))
                change->conflict = changed_meanwhile;
        return add(f, change, &index);
}

/* In both: what differs is in it. */
static int merged_directory(struct finder *f, const struct place *above, const char *name, struct stage_change *change) {
        const struct stage_sides sides = { above->base, above->upper, name, change->path };
        FD_AUTO upper = -1, base = -1;
        struct place place = { .path = change->path, .whole = above->whole };
        bool same_attributes;
        size_t index;

        if (open_in(f, above->upper, name, change->path, &upper) < 0 ||
            open_in(f, above->base, name, change->path, &base) < 0 ||
            stage_same_attributes(&sides, &change->after, &same_attributes, f->err) < 0)
                return -1;
        change->same_content = true;
        if ((!same_attributes || !same_owner_and_mode(&change->before, &change->after)) && add(f, change, &index) < 0)
                return -1;
        place.upper = upper;
        place.base = base;
        return compare_below(f, &place);
}

static int is_opaque(struct finder *f, const struct place *above, const char *name, const char *path, bool *ret) {
        FD_AUTO upper = -1;

        if (open_in(f, above->upper, name, path, &upper) < 0)
                return -1;
        if (stage_has_attribute(upper, "user.overlay.redirect") || stage_has_attribute(upper, "user.overlay.metacopy"))
                return err_set(f->err, ERR_UNSUPPORTED,
                               "%s: the overlay has a redirected directory, which bailey does not support", path);
        *ret = stage_is_opaque(upper);
        return 0;
}

static int compare_entry(struct finder *f, const struct place *above, const char *name) {
        struct stage_change change = { .path = path_in(f, above->path, name), .kind = STAGE_ADDED, .whole = above->whole };
        bool opaque = false;
        size_t index;

        if (!change.path || look(f, above->upper, name, change.path, &change.after) < 0 ||
            look(f, above->base, name, change.path, &change.before) < 0)
                return -1;
        if (stage_is_whiteout(above->upper, name, &change.after))
                return deleted(f, above->base, name, change.path, above->whole);
        if (change.before.st_mode)
                change.kind = STAGE_CHANGED;
        if (S_ISDIR(change.after.st_mode)) {
                if (is_opaque(f, above, name, change.path, &opaque) < 0)
                        return -1;
                if (S_ISDIR(change.before.st_mode) && !opaque)
                        return merged_directory(f, above, name, &change);
                change.replaced = change.before.st_mode != 0;
                if (change.replaced && !S_ISDIR(change.before.st_mode) && is_newer(f, &change.before, -1, name))
                        change.conflict = changed_meanwhile;
                return added_directory(f, above, name, &change, S_ISDIR(change.before.st_mode));
        }
        change.replaced = S_ISDIR(change.before.st_mode);
        if (change.replaced)
                return file_for_directory(f, above, name, &change);
        return change.before.st_mode ? changed_file(f, above, name, &change) : add(f, &change, &index);
}

/* What an opaque directory hides of the workspace, and does not have itself. */
static int compare_hidden(struct finder *f, const struct place *place, const struct names *upper) {
        struct names names;

        if (list(f, place->base, &names) < 0)
                return -1;
        for (size_t i = 0; i < names.count; i++) {
                const char *path = has_name(upper, names.items[i]) ? NULL : path_in(f, place->path, names.items[i]);

                if (!path && !has_name(upper, names.items[i]))
                        return -1;
                if (path && deleted(f, place->base, names.items[i], path, place->whole) < 0)
                        return -1;
        }
        return 0;
}

static int compare_directory(struct finder *f, const struct place *place) {
        struct names names;

        if (list(f, place->upper, &names) < 0)
                return -1;
        for (size_t i = 0; i < names.count; i++)
                if (compare_entry(f, place, names.items[i]) < 0)
                        return -1;
        return place->base >= 0 && stage_is_opaque(place->upper) ? compare_hidden(f, place, &names) : 0;
}

/* ---- the answer ---- */

bool stage_is_told(const struct stage_changes *changes, size_t i) {
        const struct stage_change *change = &changes->items[i];

        return !is_directory(change) || change->part_count == 0 || (change->replaced && !S_ISDIR(change->before.st_mode));
}

static void digest_add(struct sha256 *sum, const struct stage_change *change) {
        char facts[256];
        int len = snprintf(facts, sizeof(facts), "%d %llu %llu %lld.%09ld %llu %llu %lld.%09ld", (int)change->kind,
                           (unsigned long long)change->before.st_ino, (unsigned long long)change->before.st_size,
                           (long long)change->before.st_ctim.tv_sec, change->before.st_ctim.tv_nsec,
                           (unsigned long long)change->after.st_ino, (unsigned long long)change->after.st_size,
                           (long long)change->after.st_ctim.tv_sec, change->after.st_ctim.tv_nsec);

        if (!is_directory(change))
                sha256_add(sum, str_from(facts, (size_t)len));
        sha256_add(sum, str_from(change->path, strlen(change->path) + 1));
}

static void finish(struct stage_changes *changes) {
        struct sha256 sum;
        unsigned char bytes[SHA256_SIZE];

        sha256_init(&sum);
        for (size_t i = 0; i < changes->count; i++) {
                const struct stage_change *change = &changes->items[i];

                if (stage_is_told(changes, i))
                        changes->counts[change->kind]++;
                if (change->kind != STAGE_DELETED && S_ISREG(change->after.st_mode))
                        changes->bytes += (uint64_t)change->after.st_size;
                digest_add(&sum, change);
        }
        sha256_end(&sum, bytes);
        id_hex(str_from((const char *)bytes, sizeof(bytes)), changes->digest);
}

int stage_changes_find(const struct stage_compare *compare, const struct stage_roots *roots, struct arena *arena,
                       struct stage_changes *ret, struct err *err) {
        struct stage_changes out = {};
        struct finder f = { .compare = compare, .arena = arena, .out = &out, .err = err };
        const struct place top = { .upper = roots->upper, .base = roots->base, .path = "", .whole = STAGE_ALONE };

        if (compare_directory(&f, &top) < 0)
                return -1;
        finish(&out);
        *ret = out;
        return 0;
}
