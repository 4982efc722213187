#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/host_parts.h"

/* A directory with more homes than this is hidden as a whole: every directory that is hidden costs a mount. */
enum { HOMES_EACH = 16, PARENTS_MAX = 32 };

/* Homes in one directory. */
struct home_parent {
        const char *path;
        size_t count; /* of different ones */
        const char *homes[HOMES_EACH];
};

struct other_homes {
        struct home_parent parents[PARENTS_MAX];
        size_t count;
        bool full; /* there are more directories */
};

/* What is found, before it is sorted. */
struct found {
        struct host_paths paths;
        struct host *host;
        struct arena *arena;
        struct err *err;
};

/* ---- of the user database ---- */

/* Of a directory that is emptied anyway, whatever is below it counts as one: some sites have /home/a/ann. */
static size_t parent_length(const char *home) {
        const char *slash = strrchr(home, '/');

        for (const char *const *i = host_places.emptied; *i; i++)
                if (path_within(home, *i) && strcmp(home, *i) != 0)
                        return strlen(*i);
        return slash == home ? 1 : (size_t)(slash - home);
}

static struct home_parent *find_parent(struct other_homes *others, struct arena *arena, const char *home) {
        size_t len = parent_length(home);

        for (size_t i = others->count; i-- > 0;)
                if (strncmp(others->parents[i].path, home, len) == 0 && !others->parents[i].path[len])
                        return &others->parents[i];
        if (others->count == PARENTS_MAX) {
                others->full = true;
                return NULL;
        }
        others->parents[others->count].path = arena_dup(arena, str_from(home, len));
        return others->parents[others->count].path ? &others->parents[others->count++] : NULL;
}

int host_note_home(struct host *host, struct arena *arena, const char *home, struct err *err) {
        struct home_parent *parent;

        if (home[0] != '/' || !home[1] || has_control_character(home))
                return 0;
        if (!host->others)
                host->others = ARENA_NEW(arena, struct other_homes);
        parent = host->others ? find_parent(host->others, arena, home) : NULL;
        if (!parent)
                return host->others && host->others->full ? 0 : err_memory(err);
        for (size_t i = 0; i < parent->count && i < HOMES_EACH; i++) /* of several services: /nonexistent */
                if (strcmp(parent->homes[i], home) == 0)
                        return 0;
        if (parent->count < HOMES_EACH && !(parent->homes[parent->count] = arena_dup(arena, str_z(home))))
                return err_memory(err);
        parent->count++;
        return 0;
}

/* ---- what is hidden ---- */

/* Programs of the system are there, or the whole system, or what this user has; or it is hidden anyway. */
static bool stays(const struct host *host, const char *path) {
        for (const char *const *i = host_places.no_workspace; *i; i++)
                if (path_within(*i, path))
                        return true;
        for (const char *const *i = host_places.system; *i; i++)
                if (path_within(*i, path) || path_within(path, *i))
                        return true;
        for (const char *const *i = host_places.kernel; *i; i++)
                if (path_within(*i, path) || path_within(path, *i))
                        return true;
        for (size_t i = 0; i < host->homes.count; i++)
                if (strcmp(path, host->homes.items[i].path) == 0)
                        return true;
        return host_paths_find(&host->emptied, path) || host_paths_find(&host->scratch, path);
}

/* Where links lead counts: /home may be empty for commands, but what a link in it names is not. */
static int add_real(struct found *f, const char *path) {
        char real[PATH_MAX];
        struct stat st;
        int missing;

        host_sees(f->host, path, false);
        missing = host_follow(f->host, f->arena, "home directory of another user", path, real, f->err);
        if (missing < 0)
                return -1;
        /* What this user cannot search, its commands cannot. */
        if (missing)
                return is_absence(errno) || errno == EACCES || errno == ELOOP || errno == ENAMETOOLONG
                               ? 0
                               : err_sys(f->err, "%s", path);
        if (stays(f->host, real) || lstat(real, &st) < 0 || !S_ISDIR(st.st_mode) ||
            (f->host->uid != 0 && access(real, R_OK) < 0 && access(real, X_OK) < 0))
                return 0;
        return host_paths_add(&f->paths, f->arena, real, true, f->err);
}

/* The directory is hidden; its links lead to others. */
static int add_links(struct found *f, const char *directory) {
        DIR *dir = opendir(directory);
        const struct dirent *entry;
        char path[PATH_MAX];
        int result = 0;

        if (!dir)
                return is_absence(errno) || errno == EACCES ? 0 : err_sys(f->err, "%s", directory);
        errno = 0;
        while (result == 0 && (entry = readdir(dir))) {
                if ((entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) && entry->d_name[0] != '.' &&
                    snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) < (int)sizeof(path))
                        result = add_real(f, path);
                errno = 0;
        }
        if (result == 0 && errno)
                result = err_sys(f->err, "%s", directory);
        closedir(dir);
        return result;
}

static int add_parent(struct found *f, const struct home_parent *parent) {
        if (parent->count > HOMES_EACH) {
                size_t before = f->paths.count;

                if (add_real(f, parent->path) < 0)
                        return -1;
                if (f->paths.count == before && !host_paths_find(&f->host->emptied, parent->path))
                        return err_set(f->err, ERR_TOO_COMPLEX,
                                       "%s contains %zu homes of other users, and cannot be hidden from commands; use "
                                       "sandbox.root = \"minimal\"",
                                       parent->path, parent->count);
                return add_links(f, parent->path);
        }
        for (size_t i = 0; i < parent->count; i++)
                if (add_real(f, parent->homes[i]) < 0)
                        return -1;
        return 0;
}

static int by_length(const void *a, const void *b) {
        size_t one = strlen(((const struct host_path *)a)->path), other = strlen(((const struct host_path *)b)->path);

        return one < other ? -1 : one > other;
}

int host_gather_other_homes(struct host *host, struct arena *arena, struct err *err) {
        struct found f = { .host = host, .arena = arena, .err = err };

        if (!host->others)
                return 0;
        if (host->others->full)
                return err_set(
                        err, ERR_TOO_COMPLEX,
                        "homes of other users are in more than %d directories, which cannot be hidden from commands one by "
                        "one; use sandbox.root = \"minimal\"",
                        PARENTS_MAX);
        for (size_t i = 0; i < host->others->count; i++)
                if (add_parent(&f, &host->others->parents[i]) < 0)
                        return -1;
        /* One inside of another is hidden with it, if that comes first. */
        if (f.paths.count)
                qsort(f.paths.items, f.paths.count, sizeof(*f.paths.items), by_length);
        for (size_t i = 0; i < f.paths.count; i++)
                if (!host_paths_find(&host->emptied, f.paths.items[i].path) &&
                    host_paths_add(&host->emptied, arena, f.paths.items[i].path, true, err) < 0)
                        return -1;
        return 0;
}
