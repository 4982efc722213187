#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "sandbox/host_parts.h"

static bool is_known(const struct host *host, const char *path) {
        for (size_t i = 0; i < host->closed.count; i++)
                if (strcmp(host->closed.items[i].path, path) == 0)
                        return true;
        return false;
}

/* One that cannot be looked at counts as closed. */
static bool is_closed(const char *path) {
        struct stat st;

        if (stat(path, &st) < 0)
                return !is_absence(errno);
        return !(st.st_mode & S_IXOTH);
}

struct finder {
        struct host *host;
        const char *last; /* of which all above were looked at */
        struct arena *arena;
        struct err *err;
};

/* From the top down. Most are next to each other. */
static int add_above(struct finder *f, const char *path) {
        char above[PATH_MAX];

        for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
                size_t len = (size_t)(slash - path);

                if (len >= sizeof(above))
                        return err_set(f->err, ERR_INVALID, "%s: too long", path);
                if (strncmp(f->last, path, len + 1) == 0)
                        continue;
                memcpy(above, path, len);
                above[len] = 0;
                if (is_closed(above) && !is_known(f->host, above) &&
                    host_paths_add(&f->host->closed, f->arena, above, true, f->err) < 0)
                        return -1;
        }
        f->last = path;
        return 0;
}

int host_gather_closed(struct host *host, struct arena *arena, struct err *err) {
        const struct host_paths *lists[] = { &host->homes,      &host->read,  &host->write,
                                             &host->write_deny, &host->masks, &host->sockets };
        const struct protected_paths *git = &host->protection.git_write;
        struct finder finder = { .host = host, .last = "", .arena = arena, .err = err };

        host->closed = (struct host_paths){};
        if (!host->id_base || host->no_identity)
                return 0;
        if (add_above(&finder, host->workspace) < 0)
                return -1;
        for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
                for (size_t j = 0; j < lists[i]->count; j++)
                        if (add_above(&finder, lists[i]->items[j].path) < 0)
                                return -1;
        for (size_t i = 0; i < git->count; i++)
                if (add_above(&finder, git->items[i].path) < 0)
                        return -1;
        return 0;
}
