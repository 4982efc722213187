/*
 * What can be read where nothing can be mounted over: a list of directories and files that leaves out what is hidden or
 * masked. Landlock knows no exceptions, so each directory on the way to one is replaced by all else that is in it.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/host.h"

enum { DEPTH_MAX = 32 };

struct carver {
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

static int carve(struct carver *c, const char *path, bool directory, int depth);

/* Links are left out: what they lead to has its own place, or none. */
static int carve_entries(struct carver *c, const char *path, int depth) {
        DIR *entries = opendir(path);
        struct dirent *entry;
        int result = 0;

        while (entries && result == 0 && (entry = readdir(entries))) {
                char inner[PATH_MAX];

                if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || entry->d_type == DT_LNK)
                        continue;
                if (snprintf(inner, sizeof(inner), "%s/%s", strcmp(path, "/") ? path : "", entry->d_name) < (int)sizeof(inner))
                        result = carve(c, inner, entry->d_type == DT_DIR, depth + 1);
        }
        if (entries)
                closedir(entries);
        return result;
}

static int carve(struct carver *c, const char *path, bool directory, int depth) {
        struct host *host = c->host;

        if (any_is(&host->masks, path) || any_is(&host->scratch, path) || depth > DEPTH_MAX)
                return 0;
        if (any_is(&host->emptied, path)) { /* of a hidden directory only the own home is shown */
                for (size_t i = 0; i < host->homes.count; i++)
                        if (path_within(host->homes.items[i].path, path) &&
                            carve(c, host->homes.items[i].path, true, depth + 1) < 0)
                                return -1;
                return 0;
        }
        if (directory &&
            (any_within(&host->masks, path) || any_within(&host->scratch, path) || any_within(&host->emptied, path)))
                return carve_entries(c, path, depth);
        return host_paths_add(&host->readable, c->arena, path, directory, c->err);
}

int host_open_up(struct host *host, struct arena *arena, struct err *err) {
        struct carver c = { .host = host, .arena = arena, .err = err };

        host->readable = (struct host_paths){};
        if (carve(&c, "/", true, 0) < 0)
                return -1;
        for (size_t i = 0; i < host->kept.count; i++)
                if (host_paths_add(&host->readable, arena, host->kept.items[i].path, true, err) < 0)
                        return -1;
        for (size_t i = 0; i < host->read.count; i++)
                if (!any_within(&host->masks, host->read.items[i].path) &&
                    host_paths_add(&host->readable, arena, host->read.items[i].path, host->read.items[i].directory, err) < 0)
                        return -1;
        return 0;
}
