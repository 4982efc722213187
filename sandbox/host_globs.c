#include "sandbox/host_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/time.h"

#define GLOB_TIME_MAX (3 * TIME_SECOND)

enum { LOOK_AT_CLOCK = 256 }; /* names between two looks */

struct glob {
        const char *text, *key;
        bool write;
        char root[PATH_MAX]; /* the directory that it begins in */
        struct str parts[GLOB_PARTS_MAX];
        size_t count;
};

struct walker {
        struct host *host;
        struct arena *arena;
        struct err *err;
        struct glob *globs;
        size_t glob_count, names, matches;
        int64_t until;
        struct host_match *found;
        char path[PATH_MAX];
};

/* How far each pattern has come: bit i, that its first i parts are behind. */
struct progress {
        uint64_t at[GLOBS_MAX];
};

/* ---- names ---- */

bool glob_is_pattern(struct str text) {
        return str_find(text, '*') < text.len || str_find(text, '?') < text.len;
}

static size_t character(struct str text) {
        size_t len = 1;

        while (len < text.len && ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
                len++;
        return len;
}

/* Back to the last star, and one character further: it never has to go back to one before. */
bool glob_matches_name(struct str pattern, struct str name) {
        size_t p = 0, n = 0, star = SIZE_MAX, from = 0;

        while (n < name.len) {
                if (p < pattern.len && pattern.ptr[p] == '*') {
                        star = p++;
                        from = n;
                } else if (p < pattern.len && pattern.ptr[p] == '?') {
                        p++;
                        n += character(str_skip(name, n));
                } else if (p < pattern.len && pattern.ptr[p] == name.ptr[n]) {
                        p++;
                        n++;
                } else if (star != SIZE_MAX) {
                        p = star + 1;
                        n = ++from;
                } else {
                        return false;
                }
        }
        while (p < pattern.len && pattern.ptr[p] == '*')
                p++;
        return p == pattern.len;
}

/* ---- patterns ---- */

static bool is_deep(struct str part) {
        return str_is(part, "**");
}

/* `**` may also stand for no directory at all. */
static uint64_t skip_deep(const struct glob *glob, uint64_t at) {
        for (size_t i = 0; i < glob->count; i++)
                if (at >> i & 1 && is_deep(glob->parts[i]))
                        at |= UINT64_C(1) << (i + 1);
        return at;
}

static uint64_t advance(const struct glob *glob, uint64_t at, struct str name) {
        uint64_t next = 0;

        for (size_t i = 0; i < glob->count; i++) {
                if (!(at >> i & 1))
                        continue;
                if (is_deep(glob->parts[i]))
                        next |= UINT64_C(1) << i;
                else if (glob_matches_name(glob->parts[i], name))
                        next |= UINT64_C(1) << (i + 1);
        }
        return skip_deep(glob, next);
}

static int refuse(const struct glob *glob, const char *why, struct err *err) {
        return err_set(err, ERR_REFUSED, "%s: %s: %s", glob->key, glob->text, why);
}

/* The parts up to the first one with a star lead to the directory that it begins in. All that is below a directory is the
 * directory. */
static int split(struct glob *glob, const char *workspace, struct err *err) {
        struct str rest = str_z(glob->text);
        size_t used = (size_t)snprintf(glob->root, sizeof(glob->root), "%s", glob->text[0] == '/' ? "" : workspace);

        while (rest.len) {
                size_t len = str_find(rest, '/');
                struct str part = str_take(rest, len);

                rest = str_skip(rest, len < rest.len ? len + 1 : len);
                if (part.len == 0 || str_is(part, "."))
                        continue;
                if (str_is(part, ".."))
                        return refuse(glob, "a pattern cannot have .. in it", err);
                if (glob->count == 0 && !glob_is_pattern(part)) {
                        used += (size_t)snprintf(glob->root + used, sizeof(glob->root) - used, "/%.*s", (int)part.len,
                                                 part.ptr);
                        if (used >= sizeof(glob->root))
                                return refuse(glob, "too long", err);
                } else if (glob->count == GLOB_PARTS_MAX) {
                        return refuse(glob, "too many parts", err);
                } else {
                        glob->parts[glob->count++] = part;
                }
        }
        while (glob->count && is_deep(glob->parts[glob->count - 1]))
                glob->count--;
        return glob->count ? 0 : refuse(glob, "it matches everything: use the directory itself instead of a pattern", err);
}

static int add_globs(struct walker *w, const struct str_list *list, const char *key, bool write) {
        for (size_t i = 0; i < list->count; i++) {
                struct glob *glob;

                if (!glob_is_pattern(list->items[i]))
                        continue;
                if (w->glob_count == GLOBS_MAX)
                        return err_set(w->err, ERR_TOO_COMPLEX, "%s: more than %d patterns", key, GLOBS_MAX);
                if (!w->globs)
                        w->globs = arena_alloc(w->arena, GLOBS_MAX * sizeof(*w->globs));
                if (!w->globs)
                        return err_memory(w->err);
                glob = &w->globs[w->glob_count];
                glob->text = arena_dup(w->arena, list->items[i]);
                glob->key = key;
                glob->write = write;
                if (!glob->text)
                        return err_memory(w->err);
                if (split(glob, w->host->workspace, w->err) < 0)
                        return -1;
                w->glob_count++;
        }
        return 0;
}

/* ---- the walk ---- */

static int too_much(const struct walker *w, const char *what) {
        return err_set(w->err, ERR_REFUSED, "fs_read_deny, fs_write_deny: %s below %s: start the pattern in a deeper directory",
                       what, w->path);
}

static int add_match(struct walker *w, const struct glob *glob, bool directory) {
        struct host_match *match = ARENA_NEW(w->arena, struct host_match);

        if (++w->matches > GLOB_MATCHES_MAX)
                return refuse(glob, "it matches too many files: deny a directory instead", w->err);
        if (!match)
                return err_memory(w->err);
        *match = (struct host_match){ .next = w->found,
                                      .path = arena_dup(w->arena, str_z(w->path)),
                                      .pattern = glob->text,
                                      .directory = directory,
                                      .write = glob->write };
        w->found = match;
        return match->path ? 0 : err_memory(w->err);
}

static bool any_left(const struct walker *w, const struct progress *now, bool write) {
        for (size_t i = 0; i < w->glob_count; i++)
                if (now->at[i] && w->globs[i].write == write)
                        return true;
        return false;
}

/* A directory that cannot be searched may be opened again by its owner, a command too: all of it counts as a match. */
static int add_closed(struct walker *w, const struct progress *now, const struct stat *st) {
        for (size_t i = 0; st->st_uid == w->host->uid && i < w->glob_count; i++)
                if (now->at[i] && add_match(w, &w->globs[i], true) < 0)
                        return -1;
        return 0;
}

/* There are no files in these. */
static bool is_kernels(const char *path) {
        for (const char *const *place = host_places.kernel; *place; place++)
                if (strcmp(path, *place) == 0)
                        return true;
        return false;
}

static int walk(struct walker *w, int dir, const struct progress *now, int depth);

static int descend(struct walker *w, int dir, const char *name, const struct progress *now, int depth) {
        FD_AUTO fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct stat st;

        if (fd >= 0)
                return depth > GLOB_DEPTH_MAX ? too_much(w, "directories nested too deeply") : walk(w, fd, now, depth);
        if (is_absence(errno) || errno == ELOOP) /* it was there a moment ago */
                return 0;
        if (errno == EACCES && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
                return add_closed(w, now, &st);
        return err_sys(w->err, "%s", w->path);
}

/* Not every file system says what an entry is. -1: it is gone. */
static int type_of(int dir, const struct dirent *entry) {
        struct stat st;

        if (entry->d_type != DT_UNKNOWN)
                return entry->d_type;
        return fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? (int)IFTODT(st.st_mode) : -1;
}

static int visit(struct walker *w, int dir, const struct dirent *entry, const struct progress *now, int depth) {
        int type = type_of(dir, entry);
        struct progress next = {};
        bool masked = false;

        if (type < 0 || type == DT_LNK)
                return 0;
        for (size_t i = 0; i < w->glob_count; i++) {
                const struct glob *glob = &w->globs[i];

                if (!now->at[i])
                        continue;
                next.at[i] = advance(glob, now->at[i], str_z(entry->d_name));
                if (!(next.at[i] >> glob->count & 1))
                        continue;
                if (add_match(w, glob, type == DT_DIR) < 0)
                        return -1;
                masked |= !glob->write;
                next.at[i] = 0; /* what is below is denied with it */
        }
        if (type != DT_DIR || masked || is_kernels(w->path) || (!any_left(w, &next, false) && !any_left(w, &next, true)))
                return 0;
        return descend(w, dir, entry->d_name, &next, depth + 1);
}

static int spend(struct walker *w) {
        if (++w->names > GLOB_NAMES_MAX)
                return too_much(w, "too many files");
        return w->names % LOOK_AT_CLOCK == 0 && time_monotonic() > w->until ? too_much(w, "the search takes too long") : 0;
}

static int walk(struct walker *w, int dir, const struct progress *now, int depth) {
        size_t len = strlen(w->path);
        int copy = fcntl(dir, F_DUPFD_CLOEXEC, 0), result = 0;
        DIR *entries = copy < 0 ? NULL : fdopendir(copy);
        struct dirent *entry;

        if (!entries) {
                fd_close(copy);
                return err_sys(w->err, "%s", w->path);
        }
        while (result == 0 && (errno = 0, entry = readdir(entries))) {
                if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                        continue;
                if (snprintf(w->path + len, sizeof(w->path) - len, "%s%s", len > 1 ? "/" : "", entry->d_name) >=
                    (int)(sizeof(w->path) - len))
                        result = too_much(w, "a path is too long");
                else
                        result = spend(w) < 0 ? -1 : visit(w, dir, entry, now, depth);
                w->path[len] = 0;
        }
        if (result == 0 && errno && !is_absence(errno))
                result = err_sys(w->err, "%s", w->path);
        closedir(entries);
        return result;
}

/* All patterns that begin in the same directory, together. `from` is the first of them. */
static int walk_root(struct walker *w, size_t from) {
        const struct glob *first = &w->globs[from];
        const char *root = first->root[0] ? first->root : "/";
        struct progress now = {};
        FD_AUTO dir = -1;
        int missing;

        for (size_t i = 0; i < from; i++)
                if (strcmp(w->globs[i].root, first->root) == 0)
                        return 0;
        for (size_t i = from; i < w->glob_count; i++)
                if (strcmp(w->globs[i].root, first->root) == 0)
                        now.at[i] = skip_deep(&w->globs[i], 1);
        missing = host_follow(w->host, w->arena, first->key, root, w->path, w->err);
        if (missing)
                return missing < 0 ? -1 : is_absence(errno) ? 0 : refuse(first, err_text(errno), w->err);
        dir = open(w->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (dir < 0)
                return is_absence(errno) ? 0 : refuse(first, err_text(errno), w->err);
        return walk(w, dir, &now, 0);
}

int host_globs_find(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct host_match **ret,
                    struct err *err) {
        struct walker w = { .host = host, .arena = arena, .err = err, .until = time_monotonic() + GLOB_TIME_MAX };

        if (add_globs(&w, &sandbox->fs_read_deny, "fs_read_deny", false) < 0 ||
            add_globs(&w, &sandbox->fs_write_deny, "fs_write_deny", true) < 0)
                return -1;
        for (size_t i = 0; i < w.glob_count; i++)
                if (walk_root(&w, i) < 0)
                        return -1;
        *ret = w.found;
        return 0;
}

/* ---- for the sandbox ---- */

bool host_denies_match(const struct host *host, const struct host_match *match) {
        return host_paths_find(&host->masks, match->path) || (match->write && host_paths_find(&host->write_deny, match->path));
}

int host_gather_globs(struct host *host, const struct sandbox_policy *sandbox, struct arena *arena, struct err *err) {
        struct host_match *match = NULL;

        if (host_globs_find(host, sandbox, arena, &match, err) < 0)
                return -1;
        for (; match; match = match->next) {
                struct host_paths *to = match->write ? &host->write_deny : &host->masks;

                if (host_denies_match(host, match))
                        continue;
                if (host_paths_add(to, arena, match->path, match->directory, err) < 0)
                        return -1;
                to->items[to->count - 1].pattern = match->pattern;
                to->items[to->count - 1].secret = !match->write;
        }
        return 0;
}
