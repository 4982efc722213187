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
        FD_AUTO fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        struct stat st;

        if (fd < 0 && errno == ENOENT) {
                if (mkdir(path, 0700) < 0 && errno != EEXIST)
                        return err_sys(err, "cannot create %s", path);
                fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
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
        return *ret ? 0 : err_memory(err);
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
        int home, files; /* the user's, the layer's */
        const char *first_left_out;
        size_t left_out;
        struct err *err;
};

static int add_item(struct finder *f, const char *path, const char *source, enum shown_kind kind) {
        struct home_item *item;

        if (f->count == ITEMS_MAX)
                return err_set(f->err, ERR_TOO_COMPLEX, "sandbox.home_show: more than %d paths", ITEMS_MAX);
        item = &f->items[f->count++];
        *item = (struct home_item){ arena_dup(f->arena, str_z(path)), arena_dup(f->arena, str_z(source)), kind };
        return item->path && item->source ? 0 : err_memory(f->err);
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

/* Where it will be mounted. What commands have put in its place is theirs. */
static bool make_place(const struct finder *f, const char *name) {
        FD_AUTO place = home_open_beneath(f->files, name, O_PATH | O_DIRECTORY);
        FD_AUTO made = place < 0 && errno == ENOENT ? home_make_beneath(f->files, name) : -1;

        return place >= 0 || made >= 0;
}

/* What is there, and cannot be reached, cannot be shown either: the user is told. */
static int leave_out(struct finder *f, const char *path) {
        if (errno == ENOENT || errno == ENOTDIR)
                return 0;
        if (errno != EACCES && errno != ELOOP)
                return err_sys(f->err, "%s", path);
        if (f->left_out++)
                return 0;
        f->first_left_out = arena_dup(f->arena, str_z(path));
        return f->first_left_out ? 0 : err_memory(f->err);
}

/* `real` is a directory, and its path without links. */
static int take_path(struct finder *f, const char *name, const char *path, const char *real, enum shown_kind kind) {
        /* The workspace may be there, or a directory above it: it is mounted as what it is. */
        if (path_within(f->request->workspace, real))
                return 0;
        if (!path_below(real, f->request->home))
                return keep_link(f, name, path);
        return make_place(f, name) ? add_item(f, path, real, kind) : 0;
}

static int find_by_links(struct finder *f, const char *name, const char *path, enum shown_kind kind) {
        char buffer[PATH_MAX];
        struct stat st;

        if (fstatat(f->home, name, &st, 0) < 0)
                return leave_out(f, path);
        if (!S_ISDIR(st.st_mode))
                return 0;
        return realpath(path, buffer) ? take_path(f, name, path, buffer, kind) : leave_out(f, path);
}

/* The path of the home has no links, and few rows have. A user may write a path in many ways. */
static int find_path(struct finder *f, const char *name, const char *path, enum shown_kind kind) {
        bool plain = *name && !strstr(name, "//") && !strstr(name, "/.") && name[strlen(name) - 1] != '/';
        FD_AUTO there = plain ? home_open_beneath(f->home, name, O_PATH | O_DIRECTORY) : -1;

        if (there >= 0)
                return take_path(f, name, path, path, kind);
        return plain && (errno == ENOENT || errno == ENOTDIR) ? 0 : find_by_links(f, name, path, kind);
}

static void see(const struct home_request *request, const char *name, bool content) {
        char path[PATH_MAX];

        if (request->sees && snprintf(path, sizeof(path), "%s/%s", request->home, name) < (int)sizeof(path))
                request->sees(request->context, path, content);
}

/* Before any of them is looked at: what is listed is none of them. */
static void see_rows(const struct home_request *request) {
        for (size_t i = 0; request->sees && i < shown_count; i++)
                see(request, shown_rows[i].path, shown_rows[i].kind == SHOWN_SETTINGS);
}

static int find_one(struct finder *f, const char *name, enum shown_kind kind) {
        char path[PATH_MAX];

        if (snprintf(path, sizeof(path), "%s/%s", f->request->home, name) >= (int)sizeof(path))
                return err_set(f->err, ERR_INVALID, "sandbox.home_show: %s: too long", name);
        return find_path(f, name, path, kind);
}

static int find_configured(struct finder *f, struct str configured) {
        const char *text = arena_dup(f->arena, configured), *name = NULL;
        size_t len = strlen(f->request->home);

        if (!text)
                return err_memory(f->err);
        if (strncmp(text, "~/", 2) == 0)
                name = text + 2;
        else if (path_below(text, f->request->home))
                name = text + len + 1;
        if (name) {
                see(f->request, name, false);
                return find_one(f, name, SHOWN_TOOLS);
        }
        return err_set(f->err, ERR_INVALID, "sandbox.home_show: %s: not in your home directory %s; use fs_read_allow", text,
                       f->request->home);
}

static int find_items(struct finder *f) {
        for (size_t i = 0; i < shown_count; i++)
                if (shown_rows[i].kind != SHOWN_SETTINGS && home_names_may_have(f->request->names, shown_rows[i].path) &&
                    find_one(f, shown_rows[i].path, shown_rows[i].kind) < 0)
                        return -1;
        for (size_t i = 0; i < f->request->show.count; i++)
                if (find_configured(f, f->request->show.items[i]) < 0)
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
        return text.failed ? err_memory(err) : file_replace(layer, "about", buf_str(&text), 0600, err);
}

/* As always but the first time: nothing has to be made. `runs` comes last. */
static int open_layer(const char *path, int *ret_layer, int *ret_files) {
        FD_AUTO layer = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        FD_AUTO files = layer < 0 ? -1 : openat(layer, HOME_FILES, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (files < 0 || faccessat(layer, HOME_RUNS, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
                return -1;
        *ret_layer = TAKE_FD(layer);
        *ret_files = TAKE_FD(files);
        return 0;
}

static int make_layer(const struct home_request *request, const char *name, int *ret_layer, int *ret_files, struct err *err) {
        FD_AUTO base = -1, runs = -1;

        return directory_make(request->base, &base, err) < 0 || make_in(base, name, ret_layer, err) < 0 ||
                               make_in(*ret_layer, HOME_FILES, ret_files, err) < 0 ||
                               write_about(*ret_layer, request, err) < 0 || make_in(*ret_layer, HOME_RUNS, &runs, err) < 0
                       ? -1
                       : 0;
}

static int name_layer(const struct home_request *request, struct arena *arena, char name[static HOME_NAME_LENGTH + 1],
                      struct home *home, struct err *err) {
        BUF_AUTO text;

        buf_init(&text, PATH_MAX * 4);
        if (!home_name(request->workspace, request->home, name))
                return err_memory(err);
        buf_format(&text, "%s/%s", request->base, name);
        home->layer = arena_dup(arena, buf_str(&text));
        buf_append(&text, STR("/" HOME_FILES));
        home->files = arena_dup(arena, buf_str(&text));
        return text.failed || !home->files || !home->layer ? err_memory(err) : 0;
}

static int find_all(const struct home_request *request, struct arena *arena, int user, int files, struct home *home,
                    struct err *err) {
        struct finder f = { .request = request, .arena = arena, .home = user, .files = files, .err = err };

        f.items = arena_alloc(arena, ITEMS_MAX * sizeof(*f.items));
        if (!f.items)
                return err_memory(err);
        if (find_items(&f) < 0)
                return -1;
        home->items = f.items;
        home->count = f.count;
        home->left_out = f.first_left_out;
        home->left_out_count = f.left_out;
        return 0;
}

int home_open(const struct home_request *request, struct arena *arena, struct home *ret, struct err *err) {
        FD_AUTO user = open(request->home, O_PATH | O_DIRECTORY | O_CLOEXEC);
        FD_AUTO layer = -1, files = -1;
        struct home home = { .path = arena_dup(arena, str_z(request->home)) };
        char name[HOME_NAME_LENGTH + 1];

        if (user < 0)
                return err_sys(err, "%s", request->home);
        if (!home.path)
                return err_memory(err);
        see_rows(request);
        if (name_layer(request, arena, name, &home, err) < 0 ||
            (open_layer(home.layer, &layer, &files) < 0 && make_layer(request, name, &layer, &files, err) < 0) ||
            home_copy_settings(layer, user, files, request->names, err) < 0 ||
            find_all(request, arena, user, files, &home, err) < 0)
                return -1;
        *ret = home;
        return 0;
}
