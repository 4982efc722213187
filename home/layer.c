#include "home/home.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "base/fd.h"
#include "base/path.h"
#include "home/kept.h"
#include "policy/files.h"

enum { ITEMS_MAX = 512 };

/* ---- where layers are kept ---- */

/* In a directory that everybody can write: somebody else may have made it first. */
static int make_shared(const char *path, struct err *err) {
        FD_AUTO fd = -1;
        struct stat st;

        if (mkdir(path, 0700) < 0 && errno != EEXIST)
                return err_sys(err, "cannot create %s", path);
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &st) < 0)
                return err_sys(err, "%s", path);
        if (st.st_uid != geteuid() || st.st_mode & 077)
                return err_set(err, ERR_REFUSED,
                               "%s: not a directory of yours alone; set sandbox.home_dir to another directory", path);
        return 0;
}

int home_base(const char *configured, const char *state, const char *home, struct arena *arena, const char **ret,
              struct err *err) {
        char path[PATH_MAX], real[PATH_MAX];

        if (configured && configured[0]) {
                if (path_within(realpath(configured, real) ? real : configured, home))
                        return err_set(err, ERR_INVALID,
                                       "sandbox.home_dir: %s is in your home directory, of which it is to be a layer; choose "
                                       "another directory",
                                       configured);
                snprintf(path, sizeof(path), "%s", configured);
        } else if (state && realpath(state, real) && !path_within(real, home)) {
                snprintf(path, sizeof(path), "%.*s/homes", PATH_MAX - 16, real);
        } else if (geteuid() == 0) {
                snprintf(path, sizeof(path), "/var/lib/bailey/homes");
        } else {
                snprintf(path, sizeof(path), "/var/tmp/bailey-%u", (unsigned)geteuid());
                if (make_shared(path, err) < 0)
                        return -1;
                snprintf(path, sizeof(path), "/var/tmp/bailey-%u/homes", (unsigned)geteuid());
        }
        *ret = arena_dup(arena, str_z(path));
        return *ret ? 0 : err_set(err, ERR_MEMORY, "out of memory");
}

/* ---- what is shown ---- */

int home_open_beneath(int files, const char *path, int flags) {
        struct open_how how = { .flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
                                .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };

        return (int)syscall(SYS_openat2, files, path, &how, sizeof(how));
}

struct finder {
        const struct home_request *request;
        struct arena *arena;
        struct home_item *items;
        size_t count;
        int files; /* of the layer */
        struct err *err;
};

static int add_item(struct finder *f, const char *path, const char *source, enum shown_kind kind) {
        struct home_item *item;

        if (f->count == ITEMS_MAX)
                return err_set(f->err, ERR_TOO_COMPLEX, "sandbox.home_show: more than %d paths", ITEMS_MAX);
        item = &f->items[f->count++];
        *item = (struct home_item){ arena_dup(f->arena, str_z(path)), arena_dup(f->arena, str_z(source)), kind };
        return item->path && item->source ? 0 : err_set(f->err, ERR_MEMORY, "out of memory");
}

static bool may_be_absent(int why) {
        return why == ENOENT || why == ENOTDIR || why == EACCES || why == ELOOP;
}

/* A link that leads out of the home, such as ~/.nix-profile, stays one: what it leads to is where it was. */
static int keep_link(struct finder *f, const char *name, const char *path) {
        char text[PATH_MAX];
        ssize_t len = readlink(path, text, sizeof(text) - 1);

        if (len < 0)
                return 0; /* a directory above it is one */
        text[len] = 0;
        if (!strchr(name, '/') && symlinkat(text, f->files, name) < 0 && errno != EEXIST)
                return err_sys(f->err, "%s", path);
        return 0;
}

/* What commands have put in its place is theirs. */
static bool has_place(const struct finder *f, const char *name) {
        FD_AUTO place = home_open_beneath(f->files, name, O_PATH | O_DIRECTORY);

        return place >= 0 || errno == ENOENT;
}

static int find_one(struct finder *f, const char *name, enum shown_kind kind) {
        char path[PATH_MAX], real[PATH_MAX];
        struct stat st;

        if (snprintf(path, sizeof(path), "%s/%s", f->request->home, name) >= (int)sizeof(path))
                return err_set(f->err, ERR_INVALID, "sandbox.home_show: %s: too long", name);
        if (f->request->sees)
                f->request->sees(f->request->context, path, false);
        if (stat(path, &st) < 0)
                return may_be_absent(errno) ? 0 : err_sys(f->err, "%s", path);
        if (!S_ISDIR(st.st_mode))
                return 0;
        if (!realpath(path, real))
                return err_sys(f->err, "%s", path);
        /* The workspace may be there, or a directory above it: it is mounted as what it is. */
        if (path_within(f->request->workspace, real))
                return 0;
        if (!path_below(real, f->request->home))
                return keep_link(f, name, path);
        if (!has_place(f, name))
                return 0;
        return add_item(f, path, real, kind);
}

static int find_listed(struct finder *f, struct str listed) {
        const char *text = arena_dup(f->arena, listed);
        size_t len = strlen(f->request->home);

        if (!text)
                return err_set(f->err, ERR_MEMORY, "out of memory");
        if (strncmp(text, "~/", 2) == 0)
                return find_one(f, text + 2, SHOWN_TOOLS);
        if (path_below(text, f->request->home))
                return find_one(f, text + len + 1, SHOWN_TOOLS);
        return err_set(f->err, ERR_INVALID, "sandbox.home_show: %s: not in your home directory %s; use fs_read_allow", text,
                       f->request->home);
}

static int find_items(struct finder *f) {
        for (size_t i = 0; i < shown_count; i++)
                if (shown_rows[i].kind != SHOWN_SETTINGS && find_one(f, shown_rows[i].path, shown_rows[i].kind) < 0)
                        return -1;
        for (size_t i = 0; i < f->request->show.count; i++)
                if (find_listed(f, f->request->show.items[i]) < 0)
                        return -1;
        return 0;
}

/* ---- the layer ---- */

static int make_in(int directory, const char *name, int *ret, struct err *err) {
        if (mkdirat(directory, name, 0700) < 0 && errno != EEXIST)
                return err_sys(err, "home of the workspace: %s", name);
        *ret = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return *ret < 0 ? err_sys(err, "home of the workspace: %s", name) : 0;
}

/* For people, and for those that list layers. */
static int write_about(int layer, const struct home_request *request, struct err *err) {
        BUF_AUTO text;

        buf_init(&text, PATH_MAX * 4);
        if (faccessat(layer, "about", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
                return 0;
        buf_format(&text, "%s\n%s\n", request->workspace, request->home);
        return text.failed ? err_set(err, ERR_MEMORY, "out of memory")
                           : file_replace(layer, "about", buf_str(&text), 0600, err);
}

static int make_layer(const struct home_request *request, struct arena *arena, struct home *home, int *ret_files,
                      struct err *err) {
        FD_AUTO base = -1, layer = -1, runs = -1;
        char name[HOME_NAME_LENGTH + 1], path[PATH_MAX];

        if (!home_name(request->workspace, request->home, name))
                return err_set(err, ERR_MEMORY, "out of memory");
        if (directory_make(request->base, &base, err) < 0 || make_in(base, name, &layer, err) < 0 ||
            make_in(layer, HOME_FILES, ret_files, err) < 0 || make_in(layer, HOME_RUNS, &runs, err) < 0 ||
            write_about(layer, request, err) < 0 || home_copy_settings(layer, request, err) < 0)
                return -1;
        snprintf(path, sizeof(path), "%s/%s/" HOME_FILES, request->base, name);
        home->files = arena_dup(arena, str_z(path));
        path[strlen(path) - strlen("/" HOME_FILES)] = 0;
        home->layer = arena_dup(arena, str_z(path));
        return !home->files || !home->layer ? err_set(err, ERR_MEMORY, "out of memory") : 0;
}

int home_open(const struct home_request *request, struct arena *arena, struct home *ret, struct err *err) {
        struct home home = { .path = arena_dup(arena, str_z(request->home)) };
        struct finder finder = { .request = request, .arena = arena, .files = -1, .err = err };
        FD_AUTO files = -1;

        finder.items = arena_alloc(arena, ITEMS_MAX * sizeof(*finder.items));
        if (!home.path || !finder.items)
                return err_set(err, ERR_MEMORY, "out of memory");
        if (make_layer(request, arena, &home, &files, err) < 0)
                return -1;
        finder.files = files;
        if (find_items(&finder) < 0)
                return -1;
        home.items = finder.items;
        home.count = finder.count;
        *ret = home;
        return 0;
}
