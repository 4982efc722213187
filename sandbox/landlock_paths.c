/*
 * What can be read where nothing can be mounted over: a list of directories and files that leaves out what is hidden or
 * masked. Landlock knows no exceptions, so each directory on the way to one is replaced by all else that is in it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "sandbox/host.h"

enum { DEPTH_MAX = 32 };

struct granter {
        struct host *host;
        struct arena *arena;
        struct err *err;
};

static bool any_within(const struct host_paths *paths, const char *dir) {
        for (size_t i = 0; i < paths->count; i++)
                if (path_within(paths->items[i].path, dir))
                        return true;
        return false;
}

static bool any_is(const struct host_paths *paths, const char *path) {
        for (size_t i = 0; i < paths->count; i++)
                if (strcmp(paths->items[i].path, path) == 0)
                        return true;
        return false;
}

static bool any_hidden(const struct host *host, const char *dir) {
        return any_within(&host->masks, dir) || any_within(&host->scratch, dir) || any_within(&host->emptied, dir) ||
               path_within("/dev", dir);
}

static int grant(struct granter *c, const char *path, bool directory, int depth);

/* Not every file system says what an entry is. */
static int type_of(int dir, const struct dirent *entry) {
        struct stat st;

        if (entry->d_type != DT_UNKNOWN)
                return entry->d_type;
        return fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? IFTODT(st.st_mode) : DT_LNK;
}

/* Links are left out: what they lead to has its own place, or none. */
static int grant_entries(struct granter *c, const char *path, int depth) {
        DIR *entries = opendir(path);
        struct dirent *entry;
        int result = 0;

        while (entries && result == 0 && (entry = readdir(entries))) {
                char inner[PATH_MAX];
                int type = type_of(dirfd(entries), entry);

                if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || type == DT_LNK)
                        continue;
                if (snprintf(inner, sizeof(inner), "%s/%s", strcmp(path, "/") ? path : "", entry->d_name) < (int)sizeof(inner))
                        result = grant(c, inner, type == DT_DIR, depth + 1);
        }
        if (entries)
                closedir(entries);
        return result;
}

/* Of a hidden directory only the own home is shown. */
static int grant_homes(struct granter *c, const char *path, int depth) {
        for (size_t i = 0; i < c->host->homes.count; i++)
                if (path_within(c->host->homes.items[i].path, path) && strcmp(c->host->homes.items[i].path, path) != 0 &&
                    grant(c, c->host->homes.items[i].path, true, depth + 1) < 0)
                        return -1;
        return 0;
}

/* At depth 0 is what was asked for by name: that it would be hidden counts only for what is found on the way. /dev is never
 * among it: its devices are granted one by one. */
static int grant(struct granter *c, const char *path, bool directory, int depth) {
        struct host *host = c->host;

        if (host_masked_by(host, path) || depth > DEPTH_MAX)
                return 0;
        if (depth > 0 && strcmp(path, "/dev") == 0)
                return 0;
        if (depth > 0 && (any_is(&host->scratch, path) || any_is(&host->emptied, path)))
                return grant_homes(c, path, depth);
        if (directory && any_hidden(host, path))
                return grant_entries(c, path, depth);
        return host_paths_add(&host->readable, c->arena, path, directory, c->err);
}

static int grant_all(struct granter *c, const struct host_paths *paths) {
        for (size_t i = 0; i < paths->count; i++)
                if (grant(c, paths->items[i].path, paths->items[i].directory, 0) < 0)
                        return -1;
        return 0;
}

int host_open_up(struct host *host, struct arena *arena, struct err *err) {
        struct granter c = { .host = host, .arena = arena, .err = err };

        host->readable = (struct host_paths){};
        if (grant(&c, "/", true, 0) < 0 || grant(&c, host->workspace, true, 0) < 0)
                return -1;
        return grant_all(&c, &host->kept) < 0 ? -1 : grant_all(&c, &host->read);
}
