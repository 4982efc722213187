#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/name_set.h"
#include "policy/credentials.h"
#include "policy/files.h"
#include "sandbox/host_parts.h"

/* Directories of the system with many rows. */
static const char *const listed[] = { "/etc/", "/var/lib/" };

enum { LISTED = sizeof(listed) / sizeof(*listed) };

struct stores {
        struct host *host;
        struct arena *arena;
        const char *const *environment;
        struct home_names *home;
        struct name_set names[LISTED];
        struct err *err;
};

/* ---- directories ---- */

static int directory_text(const char *home, const char *place, char ret[static PATH_MAX]) {
        int len = place[0] == '~' ? snprintf(ret, PATH_MAX, "%s%s", home, place + 1) : snprintf(ret, PATH_MAX, "%s", place);

        return len < PATH_MAX ? 0 : -1;
}

static bool may_exist(struct stores *s, const char *mask) {
        if (mask[0] == '~')
                return home_names_may_have(s->home, mask + sizeof("~/") - 1);
        for (size_t i = 0; i < LISTED; i++) {
                size_t len = strlen(listed[i]);

                if (strncmp(mask, listed[i], len) == 0)
                        return name_set_may_have(&s->names[i], mask + len, strcspn(mask + len, "/"));
        }
        return true;
}

/* ---- places ---- */

/* Every mask costs, and what this user may not read needs none: a command has the same user, and less rights. For uid 0 it
 * cannot be asked, as it has the rights now. */
static bool is_closed(const struct host *host, const char *path) {
        return host->uid != 0 && access(path, R_OK) < 0 && access(path, X_OK) < 0;
}

/* Links lead to one place by several names. */
static void drop_covered(struct host *host, size_t count) {
        const char *path = host->masks.count > count ? host->masks.items[count].path : NULL;

        host->masks.count = count;
        if (path && !host_masked_by(host, path))
                host->masks.count = count + 1;
}

/* Who watches a path is told of it before its directory is listed. */
static int add_place(struct stores *s, const char *mask) {
        size_t count = s->host->masks.count;
        char path[PATH_MAX];

        if (!(s->host->asker && s->host->asker->sees) && !may_exist(s, mask))
                return 0;
        if (directory_text(s->home->home, mask, path) < 0)
                return 0;
        host_sees(s->host, path, false);
        if (!may_exist(s, mask) || (mask[0] != '~' && is_closed(s->host, path)))
                return 0;
        if (host_add_if_there(s->host, &s->host->masks, s->arena, "credential store", path, s->err) < 0)
                return -1;
        drop_covered(s->host, count);
        return 0;
}

/* What a variable names is whatever somebody set it to: the sandbox must be usable with it. Devices are named to disable a
 * file (/dev/null). */
static int add_named(struct stores *s, const char *variable, const char *path) {
        char real[PATH_MAX];
        struct stat st;
        int missing;

        host_sees(s->host, path, false);
        if (stat(path, &st) < 0 && errno != EACCES)
                return is_absence(errno) || errno == ENAMETOOLONG ? 0 : err_sys(s->err, "%s: %s", variable, path);
        missing = host_follow(s->host, s->arena, variable, path, real, s->err);
        if (missing < 0)
                return -1;
        if (missing)
                return errno == EACCES ? host_mask_closed(s->host, s->arena, real, s->err) : 0;
        if (lstat(real, &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) || host_masked_by(s->host, real))
                return 0;
        if (has_control_character(real) || host_is_needed(s->host, real))
                return host_notice(
                        s->host, s->arena, s->err,
                        "%s is %s, which commands need: it is not hidden from them. Unset %s, or move what it is for "
                        "to a directory of its own",
                        variable, has_control_character(real) ? "a path with control characters" : real, variable);
        return host_paths_add(&s->host->masks, s->arena, real, S_ISDIR(st.st_mode), s->err);
}

/* ---- variables ---- */

static int add_value(struct stores *s, const char *variable, struct str value, struct str below) {
        char path[PATH_MAX];

        if (value.len == 0 || value.len + below.len + 1 > sizeof(path))
                return 0;
        snprintf(path, sizeof(path), "%.*s%.*s", (int)value.len, value.ptr, (int)below.len, below.ptr);
        return add_named(s, variable, path);
}

/* NAME, NAME/path or NAME: of a row. */
static int add_variable(struct stores *s, struct str row) {
        size_t len = 0;
        char name[64];
        const char *value;
        struct str rest;

        while (len < row.len && row.ptr[len] != '/' && row.ptr[len] != ':')
                len++;
        if (len >= sizeof(name))
                return 0;
        snprintf(name, sizeof(name), "%.*s", (int)len, row.ptr);
        value = environment_get(s->environment, name);
        if (!value)
                return 0;
        if (len == row.len || row.ptr[len] == '/')
                return add_value(s, name, str_z(value), str_skip(row, len));
        for (rest = str_z(value); rest.len; rest = str_skip(rest, str_find(rest, ':') + 1))
                if (add_value(s, name, str_take(rest, str_find(rest, ':')), STR("")) < 0)
                        return -1;
        return 0;
}

static int add_moved(struct stores *s, const char *moved) {
        for (struct str rest = str_z(moved); rest.len; rest = str_skip(rest, str_find(rest, ' ') + 1))
                if (add_variable(s, str_take(rest, str_find(rest, ' '))) < 0)
                        return -1;
        return 0;
}

/* The variables that move whole directories of the home. Relative paths in them are ignored, as by programs. */
static int add_based(struct stores *s, const char *mask) {
        static const char *const bases[][2] = { { "~/.config/", "XDG_CONFIG_HOME" },
                                                { "~/.local/share/", "XDG_DATA_HOME" },
                                                { "~/.local/state/", "XDG_STATE_HOME" },
                                                { "~/.cache/", "XDG_CACHE_HOME" } };

        for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
                size_t len = strlen(bases[i][0]);
                const char *value;

                if (strncmp(mask, bases[i][0], len) != 0)
                        continue;
                value = environment_get(s->environment, bases[i][1]);
                return value && value[0] == '/' ? add_value(s, bases[i][1], str_z(value), str_z(mask + len - 1)) : 0;
        }
        return 0;
}

/* ---- all ---- */

static int add_all(struct stores *s, bool of_home, bool secret) {
        size_t count = secret ? credential_count : private_count, first = s->host->masks.count;

        for (size_t i = 0; i < count; i++) {
                const char *mask = secret ? credentials[i].mask : private_places[i].mask;

                if (mask && (mask[0] == '~') == of_home && add_place(s, mask) < 0)
                        return -1;
        }
        for (size_t i = first; i < s->host->masks.count; i++)
                s->host->masks.items[i].secret = secret;
        return 0;
}

static int add_all_moved(struct stores *s, bool secret) {
        size_t count = secret ? credential_count : private_count, first = s->host->masks.count;

        for (size_t i = 0; i < count; i++) {
                const char *mask = secret ? credentials[i].mask : private_places[i].mask;
                const char *moved = secret ? credentials[i].moved : private_places[i].moved;

                if ((mask && add_based(s, mask) < 0) || (moved && add_moved(s, moved) < 0))
                        return -1;
        }
        for (size_t i = first; i < s->host->masks.count; i++)
                s->host->masks.items[i].secret = secret;
        return 0;
}

/* Private places that the workspace or the home is in are in use: a command of the user `postgres` works in a database. */
static void drop_needed(struct host *host, size_t first) {
        size_t kept = first;

        for (size_t i = first; i < host->masks.count; i++)
                if (host->masks.items[i].secret || !host_is_needed(host, host->masks.items[i].path))
                        host->masks.items[kept++] = host->masks.items[i];
        host->masks.count = kept;
}

int host_gather_stores(struct host *host, const char *const *environment, struct arena *arena, struct err *err) {
        struct home_names other = { .home = "" }, none = { .home = "" };
        struct stores s = { .host = host, .arena = arena, .environment = environment, .err = err };
        size_t first = host->masks.count;

        for (size_t i = 0; i < host->homes.count; i++) {
                s.home = i == 0 ? host->names : &other;
                *s.home = (struct home_names){ .home = host->homes.items[i].path };
                if (add_all(&s, true, true) < 0 || add_all(&s, true, false) < 0)
                        return -1;
        }
        s.home = &none;
        for (size_t i = 0; i < LISTED; i++)
                name_set_read(listed[i], &s.names[i]);
        if (add_all(&s, false, true) < 0 || add_all(&s, false, false) < 0)
                return -1;
        drop_needed(host, first);
        return add_all_moved(&s, true) < 0 ? -1 : add_all_moved(&s, false);
}
